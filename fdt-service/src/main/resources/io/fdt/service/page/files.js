// Two endpoints side by side, and what goes from one to the other.

import {get, may, part, post, query} from './api.js';
import {bytes, shortTime, time} from './format.js';
import {LongList} from './list.js';
import {html, live, nothing} from './lit.js';
import {askText, attempt, button, confirm, field, select, submit, tell} from './parts.js';
import {openSheet} from './sheet.js';

const PART = 500;

/** A request has at most so many paths. */
const MOST_NAMES = 1000;

const ORDERS = [['name', 'Name'], ['size', 'Size'], ['modified', 'Changed']];

/** The pane from which something is dragged: that lies in this page only. */
let dragged = null;

function parent(path) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

function join(path, name) {
  return path.replace(/\/+$/, '') + '/' + name;
}

/** A name that is not text cannot be sent as one. */
const isText = entry => !('name_bytes' in entry);

/** One side: an endpoint, a directory of it, and the names that are chosen. */
class Pane {
  constructor(side, endpoints, endpoint, bookmarks, draw, transfer) {
    Object.assign(this, {side, endpoints, endpoint, bookmarks, draw, transfer});
    this.path = '';
    this.typed = ''; // in the field of the path
    this.find = '';
    this.turn = 0;
    this.order = 'name';
    this.problem = '';
    this.isOpen = false;
    this.target = null; // where something would be dropped: an entry, or this
    this.list = new LongList({
      label: side + ': names',
      draw,
      load: async (from, count) => (await this.load(this.path, this.listing, from, count)).files,
      row: entry => this.row(entry),
      style: entry => (isText(entry) ? '' : 'unusable ') + (this.target === entry ? 'target' : ''),
      say: entry => this.say(entry),
      open: attempt(entry => this.enter(entry)),
      mayChoose: isText,
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

  content() {
    const {side, path} = this;
    return html`
      <section class="pane" aria-label=${side} data-path=${this.isOpen ? path : nothing}>
        <form class="row" @submit=${submit(given => this.open(given.path))}>
          ${field(side + ' endpoint', {name: 'endpoint', choices: this.endpoints.map(({name}) => [name, name]),
            value: this.endpoint, change: event => {
              this.endpoint = event.target.value;
              this.open('');
            }})}
          <div class="field wide"><label>Path
            <input name="path" autocomplete="off" spellcheck="false" .value=${live(this.typed)}
              @input=${event => { this.typed = event.target.value; }}></label></div>
          <button>Open</button>
        </form>
        <div class="row tools" role="group" aria-label="${side}: directory">
          ${button('Up', () => this.open(parent(path)))}${button('Refresh', () => this.open(path))}
          ${this.bookmarks.all.length === 0 ? nothing : select({name: 'bookmark', label: side + ': bookmarks',
            choices: [['', 'Bookmarks'], ...this.bookmarks.all.map(({name}) => [name, name])],
            change: event => this.visit(event.target)})}
          ${may('endpoints') ? button('Bookmark', () => this.bookmark(), {label: side + ': bookmark this directory'})
            : nothing}
          ${may('tasks') ? [button('New directory', () => this.makeDirectory()),
            button('Rename', () => this.rename()), button('Delete', () => this.remove())] : nothing}
        </div>
        <div class="row find"><input type="search" name="find" autocomplete="off" spellcheck="false"
            placeholder="Find in this directory" aria-label="${side}: find in this directory" .value=${live(this.find)}
            @input=${this.search}>
          ${button('All', () => this.list.chooseAll(!this.list.isAllChosen),
            {label: side + ': choose all or none'})}</div>
        <p class="note ${this.problem ? 'error' : ''}" aria-live="polite">${this.note()}</p>
        <div class="sorts" role="group" aria-label="${side}: order">${ORDERS.map(order => this.sort(...order))}</div>
        ${this.list.content(this.target === this, this.drags)}
      </section>`;
  }

  sort(order, label) {
    const direction = this.order === order ? 'up' : this.order === '-' + order ? 'down' : '';
    return button(label, () => {
      this.order = this.order === order ? '-' + order : order;
      return this.open(this.path);
    }, {style: `sort sort-${order} ${direction}`, pressed: direction !== ''});
  }

  row(entry) {
    const isDirectory = entry.kind === 'directory';
    return html`<span class="mark" aria-hidden="true"></span>
      <span class="name ${isDirectory ? 'open' : ''}" title=${entry.name}>${entry.name}${isDirectory ? '/' : ''}</span>
      <span class="size">${entry.kind === 'file' ? bytes(entry.size) : isDirectory ? '' : entry.kind}</span>
      <span class="changed">${shortTime(entry.modified)}</span>`;
  }

  say(entry) {
    return `${entry.name}, ${entry.kind}${entry.kind === 'file' ? ', ' + bytes(entry.size) : ''}`
        + `, changed ${time(entry.modified)}${isText(entry) ? '' : ', cannot be chosen: its name is not text'}`;
  }

  note() {
    if (this.problem || !this.isOpen) {
      return this.problem || 'Loading.';
    }
    const names = this.list.total === 1 ? '1 name' : this.list.total.toLocaleString() + ' names';
    return names + (this.find.trim() ? ' found' : '')
        + (this.list.count ? ', ' + this.list.count.toLocaleString() + ' chosen' : '');
  }

  /** Opens a directory afresh. */
  async open(path) {
    const turn = ++this.turn;
    if (path !== this.path) {
      this.find = '';
    }
    this.problem = '';
    this.isOpen = false;
    this.draw();
    let page;
    try {
      page = await this.load(path, '', 0, PART);
    } catch (error) {
      page = {path: this.path, total: 0, files: []};
      if (turn === this.turn) {
        this.problem = error.message;
      }
    }
    if (turn !== this.turn) {
      return; // somebody has gone elsewhere since
    }
    this.path = page.path;
    this.typed = this.problem ? this.typed : page.path;
    this.listing = page.listing;
    this.isOpen = !this.problem;
    this.list.reset(page.total, page.files);
    this.draw();
  }

  /** A part of a listing; of a new one without its id. */
  load(path, listing, from, count) {
    return get(`endpoints/${part(this.endpoint)}/files` + query({
      path, listing, from, limit: count, sort: this.order, match: this.find.trim()}));
  }

  async enter(entry) {
    if (entry.kind === 'directory') {
      await this.open(join(this.path, entry.name));
    } else {
      tell(this.say(entry));
    }
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

  /** What is chosen. Everything is the directory with what is in it. */
  paths() {
    if (this.list.isAllChosen && !this.find.trim()) {
      return [this.path.replace(/\/*$/, '/')];
    }
    return this.names().map(name => join(this.path, name));
  }

  names() {
    if (this.list.isAllChosen) {
      throw new Error('Choose names one by one here: what is found, or what is to go, has no name of its own.');
    }
    if (this.list.chosen.size > MOST_NAMES) {
      throw new Error(`Choose at most ${MOST_NAMES} names, or All.`);
    }
    if (this.list.chosen.size === 0) {
      throw new Error('Choose names first: click on a row, or press the space bar on it.');
    }
    return [...this.list.chosen.keys()];
  }

  async visit(chooser) {
    const mark = this.bookmarks.all.find(one => one.name === chooser.value);
    chooser.value = '';
    if (mark) {
      this.endpoint = mark.endpoint;
      await this.open(mark.path);
    }
  }

  bookmark() {
    askText(`Bookmark ${this.endpoint}:${this.path}`, 'Name', '', 'Keep', async name => {
      await post('bookmarks', {name, endpoint: this.endpoint, path: this.path});
      await this.bookmarks.load();
    });
  }

  makeDirectory() {
    askText('New directory in ' + this.path, 'Name', '', 'Make', async name => {
      await post(`endpoints/${part(this.endpoint)}/directories`, {path: join(this.path, name)});
      await this.open(this.path);
    });
  }

  rename() {
    const names = this.names();
    if (names.length !== 1) {
      throw new Error('Choose one name to rename it.');
    }
    askText('Rename ' + names[0], 'New name', names[0], 'Rename', async name => {
      await post(`endpoints/${part(this.endpoint)}/renames`,
          {from: join(this.path, names[0]), to: join(this.path, name)});
      await this.open(this.path);
    });
  }

  async remove() {
    const paths = this.names().map(name => join(this.path, name));
    const what = paths.length === 1 ? paths[0] : paths.length + ' names in ' + this.path;
    if (await confirm(`Delete ${what} at ${this.endpoint}, with all beneath? There is no way back.`, 'Delete')) {
      const task = await post('tasks', {
        kind: 'delete', submission_id: crypto.randomUUID(), source_endpoint: this.endpoint,
        source_paths: paths, options: {recursive: true}});
      location.hash = '#/tasks/' + task.task_id;
    }
  }
}

export function filesView(draw) {
  let endpoints = null;
  let panes = [];
  const transfer = (from, to, into = to.path) => attempt(() => openSheet({
    source_endpoint: from.endpoint, source_paths: from.paths(),
    destination_endpoint: to.endpoint, destination_path: into.replace(/\/*$/, '/')}))();
  const bookmarks = {all: [], load: async () => {
    bookmarks.all = (await get('bookmarks')).bookmarks;
    draw();
  }};
  const across = (from, to, label, arrow) => button(html`Transfer<span class="arrow ${arrow}" aria-hidden="true"></span>`,
    () => transfer(from, to), {style: 'main', label});

  attempt(async () => {
    ({endpoints} = await get('endpoints'));
    if (endpoints.length > 0) {
      panes = ['Left', 'Right'].map((side, i) =>
        new Pane(side, endpoints, (endpoints[i] || endpoints[0]).name, bookmarks, draw, transfer));
    }
    draw();
    await Promise.all([...panes.map(pane => pane.open('')), bookmarks.load()]);
  })();

  const content = ([left, right]) => html`
    ${endpoints.length === 1 ? html`<p class="note">There is one endpoint, this machine.
      <a href="#/endpoints">Add the server with which you want to exchange files.</a></p>` : nothing}
    <div class="panes">${left.content()}
      <div class="between">${may('tasks') ? [across(left, right, 'Transfer to the right', 'forth'),
        across(right, left, 'Transfer to the left', 'back')] : nothing}</div>
      ${right.content()}</div>`;
  return {
    title: () => 'Files',
    end: () => panes.forEach(pane => clearTimeout(pane.pause)),
    content: () => endpoints === null ? html`<p>Loading.</p>` : panes.length > 0 ? content(panes)
      : html`<p>There are no endpoints yet. <a href="#/endpoints">Add one.</a></p>`,
  };
}
