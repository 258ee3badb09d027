// A list of any length: only the rows that can be seen are in the document, and only their part of the list is loaded.

import {html, nothing, ref, repeat} from './lit.js';

const PART = 500;
const BEYOND = 8;

/** Browsers do not scroll further than about 33 million pixels. */
const MOST_HEIGHT = 15e6;

let lastId = 0;

export class LongList {
  /**
   * A list box.
   *
   * @param options label; key(event): whether it is a key of the view; draw(): shows the view afresh; load(from, count): a promise of entries; row(entry): what it shows;
   *     style(entry): of its row; say(entry): its text for screen readers; open(entry); mayChoose(entry); most: as
   *     many can be chosen one by one
   */
  constructor(options) {
    this.options = options;
    this.height = matchMedia('(pointer: coarse)').matches ? 44 : 32;
    this.chosen = new Map();
    this.id = 'list-' + ++lastId;
    this.element = null;
    this.sizes = new ResizeObserver(() => this.options.draw());
    this.attach = element => {
      this.element = element ?? null;
      this.sizes.disconnect();
      if (element) {
        this.sizes.observe(element);
      }
    };
    this.reset(0, []);
  }

  /** Another list, from its beginning. */
  reset(total, entries) {
    this.total = total;
    this.parts = new Map([[0, entries]]);
    this.active = -1;
    this.chosen.clear();
    this.isAllChosen = false;
    if (this.element) {
      this.element.scrollTop = 0;
    }
  }

  /** The rows in sight; the listeners are those of drags. */
  content(isTarget, {dragstart, dragend, dragover, dragleave, drop}) {
    const {first, last, shift} = this.window();
    const rows = Array.from({length: last - first}, (_, i) => first + i);
    return html`
      <div class="list ${isTarget ? 'target' : ''}" role="listbox" tabindex="0" id=${this.id} aria-label=${this.options.label}
        aria-multiselectable="true"
        aria-activedescendant=${this.active >= first && this.active < last ? this.id + '-' + this.active : nothing}
        @scroll=${this.options.draw} @keydown=${event => this.key(event)} @click=${event => this.click(event)}
        @dblclick=${event => this.open(this.entryOf(event))} @dragstart=${dragstart} @dragend=${dragend}
        @dragover=${dragover} @dragleave=${dragleave} @drop=${drop} ${ref(this.attach)}>
        <div class="list-inner" role="presentation"
          .style=${`height: ${Math.min(this.total * this.height, MOST_HEIGHT)}px`}>
          ${repeat(rows, index => index, index => this.row(index, shift))}</div>
      </div>`;
  }

  /** Which rows can be seen, and how far they are from where an exact list would have them. */
  window() {
    if (!this.element) {
      return {first: 0, last: 0, shift: 0};
    }
    const top = this.element.scrollTop * this.stretch;
    return {
      first: Math.max(0, Math.min(this.total, Math.floor(top / this.height)) - BEYOND),
      last: Math.min(this.total, Math.ceil((top + this.element.clientHeight) / this.height) + BEYOND),
      shift: this.element.scrollTop - top,
    };
  }

  /** One row. The property "style" is what the content policy allows; the attribute is not. */
  row(index, shift) {
    const entry = this.entry(index);
    const isChosen = Boolean(entry) && (this.isAllChosen || this.chosen.has(entry.name));
    const mayChoose = Boolean(entry) && this.options.mayChoose(entry);
    return html`
      <div class="entry ${index === this.active ? 'active' : ''} ${entry ? this.options.style(entry) : ''}" role="option"
        id="${this.id}-${index}" aria-posinset=${index + 1} aria-setsize=${this.total} aria-selected=${isChosen}
        aria-label=${entry ? this.options.say(entry) : 'Loading'} draggable=${mayChoose}
        data-index=${index} data-name=${entry?.name ?? nothing}
        .style=${`height: ${this.height}px; transform: translateY(${index * this.height + shift}px)`}>
        ${entry ? this.options.row(entry) : nothing}</div>`;
  }

  /** How many entries one pixel more of scrolling is worth, compared with an exact list. */
  get stretch() {
    const room = this.element.clientHeight;
    const exact = this.total * this.height - room;
    return exact > MOST_HEIGHT - room ? exact / (MOST_HEIGHT - room) : 1;
  }

  entry(index) {
    const part = Math.floor(index / PART);
    const entries = this.parts.get(part);
    if (entries === undefined) {
      this.parts.set(part, null);
      this.load(part);
    }
    return entries?.[index % PART];
  }

  async load(part) {
    const parts = this.parts;
    try {
      const entries = await this.options.load(part * PART, PART);
      parts.set(part, entries);
    } catch (error) {
      parts.delete(part); // the next look at it tries again
      return;
    }
    if (parts === this.parts) {
      this.options.draw();
    }
  }

  /** The entry to which an event belongs. */
  entryOf(event) {
    const row = event.target.closest('.entry');
    return row ? this.entry(Number(row.dataset.index)) : undefined;
  }

  open(entry) {
    if (entry) {
      this.options.open(entry);
    }
  }

  click(event) {
    const entry = this.entryOf(event);
    if (!entry) {
      return;
    }
    this.element.focus();
    const index = Number(event.target.closest('.entry').dataset.index);
    if (event.target.closest('.open')) {
      this.open(entry);
    } else if (event.shiftKey && this.active >= 0) {
      const [from, to] = [Math.min(index, this.active), Math.max(index, this.active)];
      for (let i = from; i <= to; i++) {
        this.choose(this.entry(i), true);
      }
    } else {
      this.active = index;
      this.toggle(entry);
    }
    this.options.draw();
  }

  choose(entry, isChosen) {
    if (!entry || !this.options.mayChoose(entry)) {
      return;
    }
    this.isAllChosen = false;
    if (isChosen) {
      this.chosen.set(entry.name, entry);
    } else {
      this.chosen.delete(entry.name);
    }
  }

  toggle(entry) {
    this.choose(entry, this.isAllChosen || !this.chosen.has(entry.name));
  }

  /** Everything, or nothing. Where all can be named they are chosen one by one. */
  async chooseAll(isChosen) {
    this.chosen.clear();
    if (isChosen && this.total <= this.options.most) {
      this.isAllChosen = false;
      const {parts} = this;
      const all = this.total <= PART ? parts.get(0) ?? [] : await this.options.load(0, this.total);
      if (parts === this.parts) {
        all.forEach(entry => this.choose(entry, true));
        this.options.draw();
      }
      return;
    }
    this.isAllChosen = isChosen && this.total > 0;
    this.options.draw();
  }

  get count() {
    return this.isAllChosen ? this.total : this.chosen.size;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
      Home: -this.total, End: this.total};
    const current = this.active >= 0 ? this.entry(this.active) : undefined;
    if (event.key in moves && this.total > 0) {
      const next = this.active < 0 && event.key !== 'End' ? 0 : this.active + moves[event.key];
      this.active = Math.max(0, Math.min(this.total - 1, next));
      this.reveal(this.active);
      if (event.shiftKey) {
        this.choose(this.entry(this.active), true);
      }
    } else if (event.key === ' ') {
      if (current) {
        this.toggle(current);
      }
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      this.open(current);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      this.chooseAll(true).catch(() => {});
    } else if (!this.options.key(event)) {
      return;
    }
    event.preventDefault();
    this.options.draw();
  }

  reveal(index) {
    const room = this.element.clientHeight;
    const top = this.element.scrollTop * this.stretch;
    const begin = index * this.height;
    if (begin < top) {
      this.element.scrollTop = begin / this.stretch;
    } else if (begin + this.height > top + room) {
      this.element.scrollTop = (begin + this.height - room) / this.stretch;
    }
  }
}
