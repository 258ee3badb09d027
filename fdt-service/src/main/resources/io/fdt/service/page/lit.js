// The template library. What a template holds becomes text, a property or a listener: it is never read as HTML.

export {html, nothing, render} from './lib/lit-html/lit-html.js';
export {live} from './lib/lit-html/directives/live.js';
export {ref} from './lib/lit-html/directives/ref.js';
export {repeat} from './lib/lit-html/directives/repeat.js';
