// Lists of tasks: of one user, and of all.

import {get, may, onReturn, onTask, post, query, session} from './api.js';
import {bytes, shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, field, table, tell} from './parts.js';

export const STATES = ['active', 'queued', 'retrying', 'paused', 'succeeded', 'failed', 'cancelled'];
const PAGE = 50;

export const hasEnded = task => STATES.indexOf(task.state) > 3;

export function what(task) {
  const paths = task.source_paths;
  const source = task.source_endpoint + ':' + paths[0]
      + (paths.length > 1 ? ' and ' + (paths.length - 1) + ' more' : '');
  return task.kind === 'delete' ? 'Delete ' + source
    : source + ' \u2192 ' + task.destination_endpoint + ':' + task.destination_path;
}

export const badge = state => html`<span class="badge ${state}">${state}</span>`;

export function meter(task) {
  const share = task.bytes_total > 0 ? task.bytes_done / task.bytes_total
    : task.files_total > 0 ? task.files_done / task.files_total : 0;
  const percent = task.state === 'succeeded' ? 100 : Math.floor(100 * share);
  return html`<progress max="100" value=${percent} aria-label="Done, percent"></progress>`;
}

/** A list with its filters, of the tasks of one user, or of all: '*'. */
export function taskList(draw, user) {
  const isOfAll = user === '*';
  const owner = isOfAll ? '*' : '';
  const chosen = new Set();
  const cursors = ['']; // of the pages up to the one that is shown
  let tasks = null;
  let counts = null;
  let text = '';
  let state = '';
  let next = '';
  let turn = 0;

  async function count() {
    counts = await get('counts' + query({user: owner, text}));
    draw();
  }

  /** Shows the page of this number; only the first one is kept up to date with new tasks. */
  async function load(number) {
    const own = ++turn;
    cursors[number] = number === 0 ? '' : cursors[number] || next;
    cursors.length = number + 1;
    const page = await get('tasks' + query({limit: PAGE, state, text, user: owner, cursor: cursors[number]}));
    if (own !== turn) {
      return;
    }
    chosen.clear();
    next = page.next_cursor || '';
    tasks = page.tasks;
    draw();
    await count();
  }

  let pause = 0;
  const search = event => {
    text = event.target.value.trim();
    clearTimeout(pause);
    pause = setTimeout(attempt(() => load(0)), 250);
  };
  let recount = 0;
  const end = onTask(task => {
    if (!tasks || !isOfAll && task.user !== session.user) {
      return;
    }
    const place = tasks.findIndex(one => one.task_id === task.task_id);
    if (place >= 0) {
      tasks[place] = task;
    } else if (cursors.length === 1 && !text && (!state || state === task.state)) {
      tasks = [task, ...tasks].slice(0, 2 * PAGE);
    }
    draw();
    recount = recount || setTimeout(() => {
      recount = 0;
      attempt(count)();
    }, 1000);
  });
  const endReturn = onReturn(attempt(() => load(cursors.length - 1)));

  const change = (word, question) => button(word[0].toUpperCase() + word.slice(1), async () => {
    const ids = [...chosen];
    if (ids.length === 0) {
      throw new Error('Choose tasks first.');
    }
    const many = ids.length === 1 ? 'this task' : `these ${ids.length} tasks`;
    if (question && !await confirm(`Cancel ${many}?`, 'Cancel ' + many)) {
      return;
    }
    const refused = [];
    for (const id of ids) {
      try {
        await post(`tasks/${id}/${word}`);
      } catch (error) {
        refused.push(error.message);
      }
    }
    tell(refused.length === 0 ? 'Done.' : `${ids.length - refused.length} done; ${refused[0]}`);
    await load(cursors.length - 1);
  });

  const chip = ([name, number]) => button(`${name || 'all'} ${number.toLocaleString()}`, () => {
    state = name;
    return load(0);
  }, {style: 'chip', pressed: name === state});
  const chips = () => {
    const known = STATES.map(one => [one, counts[one]]);
    return [['', known.reduce((sum, [, number]) => sum + number, 0)], ...known].map(chip);
  };

  const name = task => task.label || what(task);
  attempt(() => load(0))();
  return {
    end() {
      clearTimeout(pause);
      clearTimeout(recount);
      end();
      endReturn();
    },
    content: () => html`
      <div class="row chips" role="group" aria-label="State">
        ${counts ? chips() : nothing}</div>
      <div class="row">${field('Find', {name: 'text', type: 'search', wide: true, change: search})}
        ${may('tasks') ? html`<div class="row" role="group" aria-label="The chosen tasks">
          ${change('pause')}${change('resume')}${change('cancel', true)}</div>` : nothing}</div>
      <p class="note" aria-live="polite">${tasks?.length !== 0 ? ''
        : state || text ? 'No task matches.' : 'There are no tasks yet.'}</p>
      ${table('Tasks', tasks ?? [], task => task.task_id, [
        may('tasks') && ['Choose', task => html`<input type="checkbox" aria-label="Choose ${name(task)}"
          .checked=${chosen.has(task.task_id)} @change=${({target}) => {
            chosen[target.checked ? 'add' : 'delete'](task.task_id);
            draw();
          }}>`, 'narrow'],
        ['State', task => badge(task.state)],
        ['Task', task => html`<a href="#/tasks/${task.task_id}">${name(task)}</a>
          ${task.label ? html`<div class="soft">${what(task)}</div>` : nothing}
          ${task.state === 'failed' || task.state === 'retrying'
            ? html`<div class="error">${task.message}</div>` : nothing}`],
        isOfAll && ['User', task => task.user, 'short'],
        ['Progress', meter, 'optional'],
        ['Bytes', task => bytes(task.bytes_done), 'number optional'],
        ['Rate', task => task.bytes_per_second === undefined || hasEnded(task) ? ''
          : bytes(task.bytes_per_second) + '/s', 'number'],
        ['Submitted', task => shortTime(task.created), 'optional short'],
      ])}
      <div class="row">
        ${button('Newer', () => load(cursors.length - 2), {disabled: cursors.length === 1})}
        ${button('Older', () => load(cursors.length), {disabled: !next})}</div>`,
  };
}

export const tasksView = draw => ({title: () => 'Activity', ...taskList(draw, session.user)});
