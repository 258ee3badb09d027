// Lists of tasks: of one user, and of all.

import {get, may, onReturn, onTask, post, query, session} from './api.js';
import {bytes, remaining, shortTime, span} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, icon, loading, state as emptyState, table, tell, tool} from './parts.js';

export const STATES = ['active', 'queued', 'retrying', 'paused', 'succeeded', 'failed', 'cancelled'];
const SIGNS = {active: 'play', queued: 'hourglass', retrying: 'rotate-cw', paused: 'circle-pause', succeeded: 'circle-check',
  failed: 'circle-x', cancelled: 'ban'};
const PAGE = 50;

export const hasEnded = task => STATES.indexOf(task.state) > 3;

/** The changes that a task allows now. */
export const changes = task => hasEnded(task) ? []
  : [...(task.state === 'paused' ? ['resume'] : task.state === 'retrying' ? ['resume', 'pause'] : ['pause']), 'cancel'];

export function what(task) {
  const paths = task.source_paths;
  const source = task.source_endpoint + ':' + paths[0]
      + (paths.length > 1 ? ' and ' + (paths.length - 1) + ' more' : '');
  return task.kind === 'delete' ? 'Delete ' + source
    : source + ' \u2192 ' + task.destination_endpoint + ':' + task.destination_path;
}

/** The label of a task, or else what it copies. */
export function nameOf(task) {
  if (task.label) {
    return task.label;
  }
  const [first, ...rest] = task.source_paths;
  const last = first.replace(/\/+$/, '').split('/').pop() || '/';
  const names = (first.endsWith('/') && last !== '/' ? 'Contents of ' : '') + last + (rest.length > 0 ? ` and ${rest.length} more` : '');
  return task.kind === 'delete' ? `Delete ${names} at ${task.source_endpoint}` : `${names} to ${task.destination_endpoint}`;
}

export const badge = state => html`<span class="badge ${state}">${icon(SIGNS[state])}${state}</span>`;

export function percent(task) {
  const share = task.files_failed > 0 ? task.files_done / task.files_total : task.bytes_total > 0 ? task.bytes_done / task.bytes_total
    : task.files_total > 0 ? task.files_done / task.files_total : 0;
  return task.state === 'succeeded' ? 100 : Math.min(100, Math.floor(100 * share));
}

export const meter = (task, style = '') => html`<progress class="${task.state} ${style}" max="100" value=${percent(task)}
  aria-label="Done, percent"></progress>`;

const amount = task => task.state === 'succeeded' || task.bytes_total === 0 || task.bytes_done === task.bytes_total
  ? bytes(task.bytes_done) : `${bytes(task.bytes_done)} of ${bytes(task.bytes_total)}`;

export const isMoving = task => task.state === 'active' && task.bytes_per_second !== undefined;

/** Seconds since it began, until its end. */
export const elapsed = task => task.started
  ? ((task.ended ? Date.parse(task.ended) : Date.now()) - Date.parse(task.started)) / 1000 : 0;

/** Seconds to its end at this rate; undefined where that is not known. */
export function left(task) {
  const bytesLeft = task.bytes_total - task.bytes_done;
  return isMoving(task) && task.bytes_per_second > 0 && bytesLeft > 0 ? bytesLeft / task.bytes_per_second : undefined;
}

function pace(task) {
  const rest = left(task);
  return isMoving(task) ? html`${bytes(task.bytes_per_second)}/s${rest === undefined ? nothing
    : html`<div class="sub">${remaining(rest)} left</div>`}` : hasEnded(task) && task.started ? span(elapsed(task)) : '';
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

  async function change(word) {
    const ids = tasks.filter(task => chosen.has(task.task_id) && changes(task).includes(word)).map(task => task.task_id);
    const many = ids.length === 1 ? 'this task' : `these ${ids.length} tasks`;
    if (word === 'cancel' && !await confirm(`Cancel ${many}?`, 'Files that have arrived stay.', 'Cancel ' + many)) {
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
    const done = ids.length - refused.length;
    tell(`${done} ${done === 1 ? 'task' : 'tasks'}: ${word} asked for.` + (refused.length > 0 ? ` ${refused.length} refused: ${refused[0]}` : ''),
      refused.length > 0);
    await load(cursors.length - 1);
  }

  const chip = ([name, number]) => button(html`<span>${name || 'all'} <span class="count">${number.toLocaleString()}</span></span>`, () => {
    state = name;
    return load(0);
  }, {style: 'chip', pressed: name === state});
  const chips = () => {
    const known = STATES.map(one => [one, counts[one]]);
    return [['', known.reduce((sum, [, number]) => sum + number, 0)],
      ...known.filter(([name, number]) => number > 0 || name === state)].map(chip);
  };

  const selection = () => {
    const picked = tasks.filter(task => chosen.has(task.task_id));
    const words = ['pause', 'resume', 'cancel'].filter(word => picked.some(task => changes(task).includes(word)));
    return html`<div class="card-head" role="group" aria-label="The selected tasks"><h2>${picked.length} selected</h2>
      ${words.length === 0 ? html`<span class="soft">They have ended.</span>` : words.map(word => button(word[0].toUpperCase() + word.slice(1),
        () => change(word), {style: word === 'cancel' ? 'risky' : '', sign: {pause: 'pause', resume: 'play', cancel: 'ban'}[word]}))}
      ${tool('x', 'Clear', () => {
        chosen.clear();
        draw();
      })}</div>`;
  };

  const nothingThere = () => state || text
    ? emptyState('search', 'No task matches.', '', button('Show all', () => {
      document.querySelector('input[name=text]').value = text = state = '';
      return load(0);
    }))
    : emptyState('inbox', 'There are no tasks yet.', 'A transfer that you start in Files is a task: it continues without this page, and is repeated until it has arrived.',
      html`<a class="button main" href="#/files">Go to Files</a>`);

  attempt(() => load(0))();
  return {
    end() {
      clearTimeout(pause);
      clearTimeout(recount);
      end();
      endReturn();
    },
    content: () => html`
      <div class="card-head">
        <div class="chips" role="group" aria-label="State">${counts ? chips() : nothing}</div>
        <span class="spacer"></span>
        <div class="search">${icon('search')}<input type="search" name="text" autocomplete="off" aria-label="Find a task"
          placeholder="Find a task" @input=${search}></div></div>
      <div class="card flush">
        ${tasks === null ? loading : tasks.length === 0 ? nothingThere() : nothing}
        ${tasks && chosen.size > 0 ? selection() : nothing}
        ${table('Tasks', tasks ?? [], task => task.task_id, [
          may('tasks') && ['Select', task => html`<input type="checkbox" aria-label="Select ${nameOf(task)}"
            .checked=${chosen.has(task.task_id)} @change=${({target}) => {
              chosen[target.checked ? 'add' : 'delete'](task.task_id);
              draw();
            }}>`, 'narrow'],
          ['State', task => badge(task.state), 'short'],
          ['Task', task => html`<a class="title" href="#/tasks/${task.task_id}">${nameOf(task)}</a>
            <div class="sub">${what(task)}</div>
            ${task.state === 'failed' || task.state === 'retrying'
              ? html`<div class="sub error">${task.message}</div>` : nothing}`],
          isOfAll && ['User', task => task.user, 'short'],
          ['Progress', task => task.kind === 'delete' ? '' : html`${hasEnded(task) && task.state === 'succeeded' ? nothing
            : html`<div class="meter">${meter(task)}<span class="number">${percent(task)} %</span></div>`}
            <div class="sub number">${amount(task)}</div>`],
          ['Rate or duration', pace, 'number'],
          ['Submitted', task => shortTime(task.created), 'optional short'],
        ], task => chosen.has(task.task_id) ? 'picked' : '')}
      </div>
      ${cursors.length > 1 || next ? html`<div class="row">
        ${button('Newer', () => load(cursors.length - 2), {disabled: cursors.length === 1, sign: 'arrow-left'})}
        ${button('Older', () => load(cursors.length), {disabled: !next, sign: 'arrow-right'})}</div>` : nothing}`,
  };
}

export const tasksView = draw => ({title: () => 'Activity', ...taskList(draw, session.user)});
