// The template library. Values of a template become text, properties or listeners: they are never read as HTML.

export {html, nothing, render} from './lib/lit-html/lit-html.js';
export {live} from './lib/lit-html/directives/live.js';
export {ref} from './lib/lit-html/directives/ref.js';
export {repeat} from './lib/lit-html/directives/repeat.js';
