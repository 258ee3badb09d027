// One side of the files: an endpoint, a directory of it, and the names that are selected.

import {Refusal, get, may, part, post, query} from './api.js';
import {bytes, count, shortTime, time} from './format.js';
import {LongList} from './list.js';
import {html, live, nothing} from './lit.js';
import {askText, attempt, button, confirm, icon, menu, select, state, submit, tell, tool} from './parts.js';

const PART = 500;

/** A request has at most so many paths. */
const MOST_NAMES = 1000;

const ORDERS = [['kind', 'Name', 'name'], ['size', 'Size', 'size'], ['modified', 'Changed', 'modified']];
const SIGNS = {directory: 'folder', file: 'file', symlink: 'file-symlink'};

/** The pane from which something is dragged: that lies in this page only. */
let dragged = null;

const keptHidden = 'fdt.hidden';

function parent(path) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

export function join(path, name) {
  return path.replace(/\/+$/, '') + '/' + name;
}

/** A name that is not text cannot be sent as one. */
const isText = entry => !('name_bytes' in entry);

export class Pane {
  constructor(side, endpoints, endpoint, bookmarks, draw, transfer) {
    Object.assign(this, {side, endpoints, endpoint, bookmarks, draw, transfer});
    this.path = '';
    this.typed = ''; // in the field of the path
    this.isTyping = false;
    this.find = '';
    this.turn = 0;
    this.order = 'kind';
    this.showsHidden = localStorage.getItem(keptHidden) === 'yes';
    this.leftOut = 0;
    this.refusal = null;
    this.isOpen = false;
    this.target = null; // where something would be dropped: an entry, or this
    this.list = new LongList({
      label: side + ': names',
      draw,
      most: MOST_NAMES,
      load: async (from, number) => (await this.load(this.path, this.listing, from, number)).files,
      row: entry => this.row(entry),
      style: entry => (isText(entry) ? '' : 'unusable ') + (this.target === entry ? 'target' : ''),
      say: entry => this.say(entry),
      open: attempt(entry => this.enter(entry)),
      mayChoose: isText,
      key: event => this.key(event),
    });
    this.search = event => {
      this.find = event.target.value;
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.open(this.path), 250);
    };
    this.drags = {
      dragstart: event => this.drag(event),
      dragend: () => { dragged = null; },
      dragover: event => this.dragOver(event),
      dragleave: event => {
        if (!event.currentTarget.contains(event.relatedTarget)) {
          this.aim(null);
        }
      },
      drop: event => this.drop(event),
    };
  }

  /** @param other the pane to which this one transfers */
  content(other) {
    const {side, path} = this;
    return html`
      <section class="pane" aria-label=${side} data-path=${this.isOpen ? path : nothing}>
        <div class="pane-head">${select({name: 'endpoint', label: side + ' endpoint', value: this.endpoint,
          choices: this.endpoints.map(({name}) => [name, name]), change: event => {
            this.endpoint = event.target.value;
            this.path = '';
            this.open('');
          }})}${this.isTyping ? this.pathForm() : this.crumbs()}</div>
        ${this.toolbar()}
        <div class="sorts" role="group" aria-label="${side}: order">
          <button type="button" class="mark" aria-label="${side}: select all or none" title="Select all or none"
            aria-pressed=${this.list.count === 0 ? 'false' : this.list.count < this.list.total ? 'mixed' : 'true'} ?disabled=${this.list.total === 0}
            @click=${attempt(() => this.list.chooseAll(this.list.count === 0))}>${icon('check')}</button>
          ${ORDERS.map(order => this.sort(...order))}</div>
        <div class="list-wrap ${this.isOpen || this.refusal ? '' : 'busy'}">
          ${this.list.content(this.target === this, this.drags)}${this.state()}</div>
        ${this.bar(other)}
      </section>`;
  }

  crumbs() {
    const names = this.path.split('/').filter(Boolean);
    const steps = names.map((name, i) => [name, '/' + names.slice(0, i + 1).join('/')]);
    return html`
      <nav class="crumbs" aria-label="${this.side}: path"><ol>
        <li><button type="button" class="plain" aria-label="${this.side}: top directory" @click=${() => this.open('/')}>/</button></li>
        ${steps.map(([name, path], i) => html`<li>${i > 0 ? icon('chevron-right') : nothing}<button type="button" class="plain"
          aria-current=${i === steps.length - 1 ? 'location' : nothing} title=${path} @click=${() => this.open(path)}>${name}</button></li>`)}
      </ol>${tool('pencil', this.side + ': type a path', () => this.type())}</nav>`;
  }

  pathForm() {
    return html`
      <form @submit=${submit(given => this.open(given.path))} @keydown=${event => {
        if (event.key === 'Escape') {
          this.isTyping = false;
          this.draw();
        }
      }}><input name="path" autocomplete="off" spellcheck="false" aria-label="${this.side}: path" .value=${live(this.typed)}
        @input=${event => { this.typed = event.target.value; }}><button class="main">Open</button></form>`;
  }

  type() {
    this.typed = this.path;
    this.isTyping = true;
    this.draw();
    const field = document.querySelector(`section[aria-label=${this.side}] input[name=path]`);
    field.focus();
    field.select();
  }

  toolbar() {
    const {side} = this;
    const mayChange = may('tasks') && this.isOpen;
    const chosen = this.list.count;
    const marks = this.bookmarks.all;
    return html`
      <div class="toolbar" role="group" aria-label="${side}: tools">
        ${tool('folder-up', 'Up', () => this.open(parent(this.path)), {disabled: this.path === '/'})}
        ${tool('rotate-cw', 'Refresh', () => this.open(this.path, true))}
        ${menu('bookmark', side + ': bookmarks', html`
          ${marks.map(mark => button(mark.name, () => this.visit(mark), {sign: 'bookmark', style: 'bookmark'}))}
          ${may('endpoints') ? button('Bookmark this directory', () => this.bookmark(), {sign: 'plus'})
            : marks.length === 0 ? html`<p class="note">There are no bookmarks.</p>` : nothing}`)}
        <span class="gap"></span>
        ${may('tasks') ? [tool('folder-plus', 'New directory', () => this.makeDirectory(), {disabled: !mayChange}),
          tool('pencil', 'Rename', () => this.rename(), {disabled: !mayChange || chosen !== 1}),
          tool('trash-2', 'Delete', () => this.remove(), {disabled: !mayChange || chosen === 0 || this.list.isAllChosen}),
          html`<span class="gap"></span>`] : nothing}
        ${tool(this.showsHidden ? 'eye' : 'eye-off', 'Show hidden names', () => this.toggleHidden(), {pressed: this.showsHidden})}
        <div class="search">${icon('search')}<input type="search" name="find" autocomplete="off" spellcheck="false"
          placeholder="Find" aria-label="${side}: find in this directory" .value=${live(this.find)} @input=${this.search}></div>
      </div>`;
  }

  sort(order, label, style) {
    const direction = this.order === order ? 'up' : this.order === '-' + order ? 'down' : '';
    return html`<button type="button" class="sort sort-${style}"
      aria-label="${label}${direction ? ', ' + (direction === 'up' ? 'ascending' : 'descending') : ''}" @click=${() => {
        this.order = direction === 'up' ? '-' + order : order;
        this.open(this.path);
      }}>${label}${direction ? icon(direction === 'up' ? 'chevron-up' : 'chevron-down') : nothing}</button>`;
  }

  row(entry) {
    const isDirectory = entry.kind === 'directory';
    return html`<span class="mark" aria-hidden="true">${icon('check')}</span>
      ${icon(SIGNS[entry.kind] ?? 'file', 'kind ' + entry.kind)}
      <span class="name" title=${entry.name}>${isDirectory ? html`<span class="open">${entry.name}</span>` : entry.name}</span>
      <span class="size">${entry.kind === 'file' ? bytes(entry.size) : isDirectory ? '' : entry.kind}</span>
      <span class="changed">${shortTime(entry.modified)}</span>`;
  }

  say(entry) {
    return `${entry.name}, ${entry.kind}${entry.kind === 'file' ? ', ' + bytes(entry.size) : ''}`
        + `, changed ${time(entry.modified)}${isText(entry) ? '' : ', cannot be selected: its name is not text'}`;
  }

  /** Stands in place of names: loading, refused, empty. */
  state() {
    if (this.refusal) {
      const code = this.refusal.problem?.code ?? (this.refusal.status === 404 ? 'NOT_FOUND' : '');
      const [sign, title] = {
        PERMISSION: ['lock', 'You may not look into this directory'],
        FORBIDDEN: ['lock', 'You may not look into this directory'],
        NOT_FOUND: ['search', 'There is no such directory'],
        UNREACHABLE: ['unplug', this.endpoint + ' does not answer'],
        TIMEOUT: ['unplug', this.endpoint + ' does not answer'],
        UNAUTHENTICATED: ['lock', this.endpoint + ' refuses the token'],
      }[code]
        ?? ['triangle-alert', 'This directory cannot be shown'];
      return state(sign, title, this.refusal.message, html`
        ${button('Try again', () => this.open(this.asked, true), {sign: 'rotate-cw'})}
        ${sign === 'unplug' || code === 'UNAUTHENTICATED' ? html`<a class="button" href="#/endpoints">See endpoints</a>`
          : this.asked ? button('Go to the default directory', () => this.open('')) : nothing}`, 'bad');
    }
    if (!this.isOpen) {
      return state('loader-circle', 'Loading.');
    }
    if (this.list.total > 0) {
      return nothing;
    }
    const show = this.leftOut > 0
      ? button(`Show ${count(this.leftOut, 'hidden name')}`, () => this.toggleHidden(), {sign: 'eye'}) : nothing;
    return this.find.trim() ? state('search', 'Nothing found', `No name here has '${this.find.trim()}' in it.`, show)
      : state('folder-open', 'Nothing here', this.leftOut > 0 ? '' : 'This directory is empty.', show);
  }

  /** How much there is, and how much of it is selected. */
  sum() {
    const {list} = this;
    if (!this.isOpen) {
      return '';
    }
    if (list.isAllChosen) {
      return html`<strong>All ${list.total.toLocaleString()} selected</strong>, ${bytes(this.bytes)} in files${
        this.leftOut ? ', and ' + count(this.leftOut, 'hidden name') : ''}`;
    }
    if (list.count > 0) {
      const chosen = [...list.chosen.values()];
      const directories = chosen.filter(({kind}) => kind === 'directory').length;
      const size = chosen.reduce((sum, {kind, size}) => sum + (kind === 'file' ? size : 0), 0);
      const parts = [directories < chosen.length ? bytes(size) : '',
        directories > 0 ? count(directories, 'directory', 'directories') : ''].filter(Boolean);
      return html`<strong>${list.count.toLocaleString()} selected</strong>: ${parts.join(' and ')}`;
    }
    const names = count(list.total, 'name') + (this.find.trim() ? ' found' : '');
    return names + (this.leftOut ? `, ${this.leftOut.toLocaleString()} hidden` : '')
      + (list.total > 0 && this.bytes > 0 ? ', ' + bytes(this.bytes) + ' in files' : '');
  }

  bar(other) {
    return html`
      <div class="bar"><p class="sum" aria-live="polite">${this.sum()}</p>
        ${this.list.count > 0 ? tool('x', 'Clear', () => this.list.chooseAll(false)) : nothing}
        ${may('tasks') ? html`<button type="button" class=${this.list.count > 0 ? 'main' : ''} ?disabled=${this.list.count === 0}
          @click=${attempt(() => this.transfer(this, other))}>Transfer to ${other.endpoint}${
            icon(this.side === 'Left' ? 'arrow-right' : 'arrow-left')}</button>` : nothing}</div>`;
  }

  /**
   * Opens a directory afresh.
   *
   * @param isRetry whether to ask an endpoint that did not answer when the service looked last: that can take half a minute
   */
  async open(path, isRetry = false) {
    const turn = ++this.turn;
    if (path !== this.path) {
      this.find = '';
    }
    this.asked = path;
    this.refusal = null;
    this.isOpen = false;
    this.draw();
    let page = {path: this.path, total: 0, left_out: 0, bytes: 0, files: []};
    const {state: health, problem} = this.endpoints.find(({name}) => name === this.endpoint) ?? {};
    try {
      if (health === 'unreachable' && !isRetry) {
        throw new Refusal(0, {code: 'UNREACHABLE', detail: problem});
      }
      page = await this.load(path, '', 0, PART);
    } catch (error) {
      if (turn === this.turn) {
        this.refusal = error;
      }
    }
    if (turn !== this.turn) {
      return; // the user has gone elsewhere since
    }
    this.path = page.path;
    this.isTyping = this.isTyping && this.refusal !== null;
    this.listing = page.listing;
    this.leftOut = page.left_out;
    this.bytes = page.bytes;
    this.isOpen = !this.refusal;
    this.list.reset(page.total, page.files);
    this.draw();
  }

  /** A part of a listing; of a new one without its id. */
  load(path, listing, from, number) {
    return get(`endpoints/${part(this.endpoint)}/files` + query({
      path, listing, from, limit: number, sort: this.order, match: this.find.trim(),
      hidden: this.showsHidden ? '' : 'false'}));
  }

  toggleHidden() {
    this.showsHidden = !this.showsHidden;
    localStorage.setItem(keptHidden, this.showsHidden ? 'yes' : 'no');
    return this.open(this.path);
  }

  async enter(entry) {
    if (entry.kind === 'directory') {
      await this.open(join(this.path, entry.name));
    } else {
      tell(this.say(entry));
    }
  }

  /** Keys of the list beside those that move and select. */
  key({key, ctrlKey, metaKey}) {
    const action = key === 'Backspace' ? () => this.open(parent(this.path))
      : key === 'Enter' && (ctrlKey || metaKey) ? () => this.transfer(this, this.other)
      : key === 'F2' && may('tasks') ? () => this.rename()
      : key === 'Delete' && may('tasks') ? () => this.remove() : null;
    if (action) {
      attempt(action)();
    }
    return action !== null;
  }

  drag(event) {
    const entry = this.list.entryOf(event);
    if (!entry || !may('tasks')) {
      event.preventDefault();
      return;
    }
    if (!this.list.isAllChosen && !this.list.chosen.has(entry.name)) {
      this.list.chosen.clear();
      this.list.choose(entry, true);
      this.draw();
    }
    dragged = this;
    event.dataTransfer.effectAllowed = 'copy';
    event.dataTransfer.setData('text/plain', this.paths().join('\n'));
  }

  dragOver(event) {
    if (dragged && dragged !== this) {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      const entry = this.list.entryOf(event);
      this.aim(entry?.kind === 'directory' ? entry : this);
    }
  }

  drop(event) {
    if (dragged && dragged !== this) {
      event.preventDefault();
      const entry = this.list.entryOf(event);
      this.aim(null);
      this.transfer(dragged, this, entry?.kind === 'directory' ? join(this.path, entry.name) : this.path);
    }
  }

  aim(target) {
    if (this.target !== target) {
      this.target = target;
      this.draw();
    }
  }

  /** The selected paths. Everything is the directory with its contents. */
  paths() {
    if (this.list.isAllChosen && !this.find.trim()) {
      return [this.path.replace(/\/*$/, '/')];
    }
    return this.names().map(name => join(this.path, name));
  }

  names() {
    if (this.list.isAllChosen || this.list.chosen.size > MOST_NAMES) {
      throw new Error(`Select at most ${MOST_NAMES.toLocaleString()} names here.`);
    }
    if (this.list.chosen.size === 0) {
      throw new Error('Select names first: click on a row, or press the space bar on it.');
    }
    return [...this.list.chosen.keys()];
  }

  async visit(mark) {
    this.endpoint = mark.endpoint;
    await this.open(mark.path);
  }

  bookmark() {
    askText(`Bookmark ${this.endpoint}:${this.path}`, 'Name', '', 'Keep', async name => {
      await post('bookmarks', {name, endpoint: this.endpoint, path: this.path});
      await this.bookmarks.load();
    });
  }

  makeDirectory() {
    askText('New directory in ' + this.path, 'Name', '', 'Create', async name => {
      await post(`endpoints/${part(this.endpoint)}/directories`, {path: join(this.path, name)});
      await this.open(this.path);
    });
  }

  rename() {
    const names = this.names();
    if (names.length !== 1) {
      throw new Error('Select one name to rename it.');
    }
    askText('Rename ' + names[0], 'New name', names[0], 'Rename', async name => {
      await post(`endpoints/${part(this.endpoint)}/renames`,
          {from: join(this.path, names[0]), to: join(this.path, name)});
      await this.open(this.path);
    });
  }

  async remove() {
    const paths = this.names().map(name => join(this.path, name));
    const what = paths.length === 1 ? paths[0] : `${paths.length} names in ${this.path}`;
    if (await confirm(`Delete ${what} at ${this.endpoint}?`, 'All beneath goes too. There is no way back.', 'Delete')) {
      const task = await post('tasks', {
        kind: 'delete', submission_id: crypto.randomUUID(), source_endpoint: this.endpoint,
        source_paths: paths, options: {recursive: true}});
      location.hash = '#/tasks/' + task.task_id;
    }
  }
}
