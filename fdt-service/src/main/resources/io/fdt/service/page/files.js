// Two endpoints side by side, and what goes from one to the other.

import {get, may} from './api.js';
import {html, nothing} from './lit.js';
import {Pane} from './pane.js';
import {attempt, button, icon, loading, state} from './parts.js';
import {openSheet} from './sheet.js';

const keptSplit = 'fdt.split';
const [LEAST, MOST] = [25, 75];

/** The line between the panes, which is moved by pointer and by key. */
function split(draw) {
  let share = Math.min(MOST, Math.max(LEAST, Number(localStorage.getItem(keptSplit)) || 50));
  const set = percent => {
    share = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
    localStorage.setItem(keptSplit, share);
    draw();
  };
  return {
    style: () => `--split: ${share}fr; --rest: ${100 - share}fr`,
    handle: () => html`<div class="handle" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the left side"
      aria-valuemin=${LEAST} aria-valuemax=${MOST} aria-valuenow=${share}
      @pointerdown=${event => event.target.setPointerCapture(event.pointerId)}
      @pointermove=${event => {
        if (event.target.hasPointerCapture(event.pointerId)) {
          const room = event.target.parentElement.getBoundingClientRect();
          set(100 * (event.clientX - room.left) / room.width);
        }
      }} @dblclick=${() => set(50)} @keydown=${event => {
        const step = {ArrowLeft: -5, ArrowRight: 5}[event.key];
        if (step) {
          set(share + step);
        }
      }}></div>`,
  };
}

/** The places of both panes, for the next visit of this view. */
let places = [];

const firstVisit = html`
  <div class="hero">${icon('server')}<div class="stack"><div><h2>Welcome. One endpoint is there: this machine.</h2>
    <ol><li>On the other machine, run <code>fdt serve DIR</code>. It prints an address, a fingerprint and a token.</li>
      <li>Add it here as an endpoint.</li>
      <li>Select files on one side, and transfer them to the other.</li></ol></div>
    <div class="row"><a class="button main" href="#/endpoints/add">${icon('plus')}Add an endpoint</a></div></div></div>`;

export function filesView(draw) {
  let endpoints = null;
  let panes = [];
  let shownSide = 'left'; // on a phone
  const middle = split(draw);
  const transfer = (from, to, into = to.path) => attempt(() => openSheet({
    source_endpoint: from.endpoint, source_paths: from.paths(),
    destination_endpoint: to.endpoint, destination_path: into.replace(/\/*$/, '/')}))();
  const bookmarks = {all: [], load: async () => {
    bookmarks.all = (await get('bookmarks')).bookmarks;
    draw();
  }};

  attempt(async () => {
    ({endpoints} = await get('endpoints'));
    if (endpoints.length > 0) {
      panes = ['Left', 'Right'].map((side, i) =>
        new Pane(side, endpoints, (endpoints.find(({name}) => name === places[i]?.endpoint) ?? endpoints[i] ?? endpoints[0]).name,
          bookmarks, draw, transfer));
      panes.forEach((pane, i) => { pane.other = panes[1 - i]; });
    }
    draw();
    await Promise.all([...panes.map((pane, i) => pane.open(pane.endpoint === places[i]?.endpoint ? places[i].path : '')), bookmarks.load()]);
  })();

  const content = ([left, right]) => html`
    ${endpoints.length === 1 && may('endpoints') ? firstVisit : nothing}
    <div class="switch" role="group" aria-label="Side">${[['left', left], ['right', right]].map(([side, pane]) =>
      button(`${pane.endpoint}:${pane.path}`, () => {
        shownSide = side;
        draw();
      }, {pressed: side === shownSide}))}</div>
    <div class="panes show-${shownSide}" .style=${middle.style()}>
      ${left.content(right)}${middle.handle()}${right.content(left)}</div>`;
  return {
    title: () => 'Files',
    isFull: true,
    end() {
      panes.forEach(pane => clearTimeout(pane.pause));
      places = panes.map(({endpoint, path, isOpen}) => ({endpoint, path: isOpen ? path : ''}));
    },
    content: () => endpoints === null ? loading : panes.length > 0 ? content(panes)
      : html`<div class="card">${state('server', 'There are no endpoints yet.',
        'An endpoint is a server that runs fdt serve, with a name.',
        may('endpoints') ? html`<a class="button main" href="#/endpoints/add">${icon('plus')}Add an endpoint</a>` : nothing)}</div>`,
  };
}
