// A list of any length: only the rows that can be seen are in the document, and only their part of the list is loaded.

import {el} from './dom.js';

const PART = 500;
const BEYOND = 8;

/** Browsers do not scroll further than about 33 million pixels. */
const MOST_HEIGHT = 15e6;

export class LongList {
  /**
   * A list box.
   *
   * @param options label; load(from, count): a promise of entries; fill(row, entry); say(entry): its text for screen readers;
   *     open(entry); changed(): the choice has changed; mayChoose(entry)
   */
  constructor(options) {
    this.options = options;
    this.height = matchMedia('(pointer: coarse)').matches ? 44 : 32;
    this.chosen = new Map();
    this.isAllChosen = false;
    this.rows = new Map();
    this.id = 'list-' + Math.random().toString(36).slice(2);
    this.inner = el('div', {class: 'list-inner', role: 'presentation'});
    this.element = el('div', {class: 'list', role: 'listbox', tabindex: '0', id: this.id,
      'aria-label': options.label, 'aria-multiselectable': 'true',
      scroll: () => this.draw(), keydown: event => this.key(event), click: event => this.click(event),
      focus: () => this.draw(), blur: () => this.draw(),
      dblclick: event => {
        const entry = this.entryOf(event);
        if (entry) {
          this.options.open(entry);
        }
      }}, this.inner);
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.reset(0, []);
  }

  /** Shows another list, from its beginning. */
  reset(total, entries) {
    this.total = total;
    this.parts = new Map([[0, entries]]);
    this.active = -1;
    this.chosen.clear();
    this.isAllChosen = false;
    this.rows.clear();
    this.inner.replaceChildren();
    this.inner.style.height = Math.min(total * this.height, MOST_HEIGHT) + 'px';
    this.element.scrollTop = 0;
    this.draw();
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
      this.draw();
    }
  }

  draw() {
    const top = this.element.scrollTop * this.stretch;
    const first = Math.max(0, Math.floor(top / this.height) - BEYOND);
    const last = Math.min(this.total,
        Math.ceil((top + this.element.clientHeight) / this.height) + BEYOND);
    for (const [index, row] of this.rows) {
      if (index < first || index >= last) {
        row.remove();
        this.rows.delete(index);
      }
    }
    const shift = this.element.scrollTop - top;
    for (let index = first; index < last; index++) {
      const row = this.rows.get(index) || this.make(index);
      const entry = this.entry(index);
      row.style.transform = `translateY(${index * this.height + shift}px)`;
      if (entry && row.dataset.name !== entry.name) {
        row.dataset.name = entry.name;
        row.setAttribute('aria-label', this.options.say(entry));
        this.options.fill(row, entry);
      }
      const isChosen = Boolean(entry) && (this.isAllChosen || this.chosen.has(entry.name));
      row.setAttribute('aria-selected', String(isChosen));
      row.classList.toggle('active', index === this.active && document.activeElement === this.element);
    }
    if (this.rows.has(this.active)) {
      this.element.setAttribute('aria-activedescendant', this.id + '-' + this.active);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  make(index) {
    const row = el('div', {class: 'entry', role: 'option', id: this.id + '-' + index,
      'aria-posinset': String(index + 1), 'aria-setsize': String(this.total), 'aria-label': 'Loading'});
    row.style.height = this.height + 'px';
    row.dataset.index = String(index);
    this.rows.set(index, row);
    // In the order of the list: screen readers and tests read the document.
    const next = [...this.inner.children].find(other => Number(other.dataset.index) > index);
    this.inner.insertBefore(row, next || null);
    return row;
  }

  /** The entry to which an event belongs. */
  entryOf(event) {
    const row = event.target.closest('.entry');
    return row ? this.entry(Number(row.dataset.index)) : undefined;
  }

  click(event) {
    const row = event.target.closest('.entry');
    const entry = this.entryOf(event);
    if (!entry) {
      return;
    }
    this.element.focus();
    const index = Number(row.dataset.index);
    if (event.target.closest('.open')) {
      this.options.open(entry);
    } else if (event.shiftKey && this.active >= 0) {
      const [from, to] = [Math.min(index, this.active), Math.max(index, this.active)];
      for (let i = from; i <= to; i++) {
        this.choose(this.entry(i), true);
      }
      this.options.changed();
    } else {
      this.active = index;
      this.toggle(entry);
    }
    this.draw();
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
    this.options.changed();
  }

  /** Everything, or nothing. */
  chooseAll(isChosen) {
    this.chosen.clear();
    this.isAllChosen = isChosen && this.total > 0;
    this.options.changed();
    this.draw();
  }

  get count() {
    return this.isAllChosen ? this.total : this.chosen.size;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
      Home: -this.total, End: this.total};
    if (event.key in moves && this.total > 0) {
      event.preventDefault();
      const next = this.active < 0 && event.key !== 'End' ? 0 : this.active + moves[event.key];
      this.active = Math.max(0, Math.min(this.total - 1, next));
      this.reveal(this.active);
      if (event.shiftKey) {
        this.choose(this.entry(this.active), true);
        this.options.changed();
      }
      this.draw();
    } else if (event.key === ' ') {
      event.preventDefault();
      const entry = this.active >= 0 && this.entry(this.active);
      if (entry) {
        this.toggle(entry);
        this.draw();
      }
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const entry = this.active >= 0 && this.entry(this.active);
      if (entry) {
        this.options.open(entry);
      }
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.chooseAll(true);
    }
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
