// One task: its progress, its faults with what to do about them, and what may be changed.

import {ask, get, may, onReturn, onTask, part, post, query} from './api.js';
import {bytes, count, fromLocal, remaining, span, time, toLocal, until} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, field, icon, loading, problem, state as emptyState, submit, tell} from './parts.js';
import {Plot} from './plot.js';
import {openSheet} from './sheet.js';
import {badge, changes, elapsed, hasEnded, isMoving, left, meter, nameOf, percent, what} from './tasks.js';

const WORDS = {
  submitted: ['Submitted', 'send'], started: ['Started', 'play'], found_again: ['Found again', 'search'],
  fault: ['Fault', 'triangle-alert'], problem: ['Problem', 'circle-alert'], deleted: ['Deleted', 'trash-2'], notice: ['Notice', 'info'],
  modified: ['Modified', 'pencil'], paused: ['Paused', 'pause'], resumed: ['Resumed', 'play'],
  succeeded: ['Succeeded', 'circle-check'], failed: ['Failed', 'circle-x'], cancelled: ['Cancelled', 'ban'],
};
const MOST_EVENTS = 1000;
const SIGNS = {pause: 'pause', resume: 'play', cancel: 'ban'};

const tile = (name, value, hint = '') => value === undefined || value === '' ? nothing
  : html`<div class="tile"><span>${name}</span><strong>${value}</strong>${hint ? html`<span>${hint}</span>` : nothing}</div>`;

function progress(task) {
  const seconds = elapsed(task);
  const rest = left(task);
  const isDelete = task.kind === 'delete';
  return html`<section class="card" aria-label="Progress">
    <div id="state" aria-live="polite">${badge(task.state)}${task.intent ? html`<span class="soft">${task.intent} asked for</span>` : nothing}
      ${task.state === 'failed' ? nothing : html`<span class="message">${task.message}</span>`}</div>
    <div class="row"><span class="percent">${percent(task)} %</span></div>
    ${meter(task, 'large')}
    <div class="tiles">
      ${isDelete ? nothing : tile('Data', bytes(task.bytes_done), task.bytes_done < task.bytes_total ? 'of ' + bytes(task.bytes_total) : '')}
      ${tile('Files', task.files_done.toLocaleString(), `of ${task.files_total.toLocaleString()}`
        + (task.files_failed ? `, ${task.files_failed.toLocaleString()} failed` : '')
        + (task.files_deleted && !isDelete ? `, ${task.files_deleted.toLocaleString()} deleted` : ''))}
      ${isMoving(task) ? tile('Rate now', bytes(task.bytes_per_second) + '/s', count(task.streams, 'stream')) : nothing}
      ${seconds >= 1 && task.bytes_done > 0 ? tile('Mean rate', bytes(task.bytes_done / seconds) + '/s') : nothing}
      ${task.started ? tile('Duration', span(seconds)) : nothing}
      ${rest === undefined ? nothing : tile('Time left', remaining(rest))}
      ${task.state === 'retrying' ? tile('Next attempt', until(task.retry_at)) : nothing}
      ${isMoving(task) && task.stalled_ms > 5000 ? tile('No data for', span(task.stalled_ms / 1000)) : nothing}
    </div></section>`;
}

function facts(task) {
  const all = [
    [task.kind === 'delete' ? 'Delete' : 'Copy', what(task)],
    ['Paths', task.source_paths.length > 1 && html`<details><summary class="fold">${task.source_paths.length} paths</summary>
      <ul>${task.source_paths.map(path => html`<li>${path}</li>`)}</ul></details>`],
    ['Limit', task.limit ? bytes(task.limit) + '/s' : 'none'],
    ['Priority', String(task.priority)],
    ['Faults', task.faults],
    ['Deadline', !hasEnded(task) && time(task.deadline)],
    ['Submitted', time(task.created) + ' by ' + task.user],
    ['Ended', time(task.ended)],
    ['Options', Object.entries(task.options).filter(([, value]) => value !== false)
      .map(([name, value]) => name.replaceAll('_', ' ') + (value === true ? '' : ': ' + [].concat(value).join('; ')))
      .join(', ')],
    ['Id', html`<code>${task.task_id}</code>`],
  ];
  return html`<dl>${all.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function eventItem(event) {
  const [word, sign] = WORDS[event.code] ?? [event.code, 'info'];
  return html`<li class=${event.is_error ? 'error' : ''}>${icon(sign)}<span><strong>${word}</strong>${
    event.detail ? ': ' + event.detail : ''}</span><time datetime=${event.time}>${time(event.time)}</time></li>`;
}

/** The faults, and each advice once. The end repeats what went wrong with a file. */
function faults(events, task) {
  const hasProblems = events.some(event => event.code === 'problem');
  const bad = events.filter(event => event.is_error && !(hasProblems && event.code === 'failed'));
  const byAdvice = new Map();
  for (const event of bad) {
    const key = event.advice || '';
    byAdvice.set(key, [...(byAdvice.get(key) || []), event]);
  }
  const isRepaired = task.state === 'succeeded';
  return bad.length === 0 ? nothing : html`
    <section class="stack" aria-label="Faults"><h2>${isRepaired ? 'Repaired by later attempts' : 'What went wrong'}</h2>${[...byAdvice].map(([advice, group]) => html`
      <div class="fault ${isRepaired ? 'repaired' : ''}"><p>${group.at(hasProblems ? 0 : -1).detail}</p>
        ${group.length > 1 ? html`<p class="soft">and ${group.length - 1} more of this kind</p>` : nothing}
        ${advice && !isRepaired ? html`<p class="advice">${icon('info')}<span><strong>What to do: </strong>${advice}</span></p>` : nothing}</div>`)}
    </section>`;
}

/** The files of which the service knows by name: those with problems, and the last that arrived. */
function files(task, {files: shown, found, known}, find, search) {
  return known === 0 ? nothing : html`<section class="card" aria-label="Files">
    <div class="card-head"><h2>Files</h2><span class="soft number">${found.toLocaleString()} of ${known.toLocaleString()}</span>
      <div class="search">${icon('search')}<input type="search" name="find" autocomplete="off" aria-label="Find a file" placeholder="Find a file" @input=${search}></div></div>
    <ul class="files">${shown.map(({state, name, size}) => html`<li>${state === 'failed' ? icon('circle-alert', 'error') : icon('circle-check', 'good')}
      <span class="hidden">${state}: </span><span>${name}</span>${size === undefined ? nothing : html`<span class="number">${bytes(size)}</span>`}</li>`)}</ul>
    ${found === 0 ? html`<p class="soft">No name has '${find}' in it.</p>` : found > shown.length ? html`<p class="note">The first ${shown.length} are shown.</p>` : nothing}
    ${task.state === 'succeeded' && shown[0]?.state === 'failed' ? html`<p class="note">Files with problems have arrived since.</p>` : nothing}
    ${known < task.files_done + task.files_failed ? html`<p class="note">Listed are files with problems, and the last 500 that arrived while the service followed.</p>` : nothing}</section>`;
}

export function taskView(draw, id) {
  const plot = new Plot();
  const path = 'tasks/' + part(id);
  const events = new Map();
  let task = null;
  let refused = null;
  let hasMore = false;
  let lastEvent = '';
  let listed = {files: [], found: 0, known: 0};
  let listedAt = -1; // how many files had ended
  let find = '';

  const readFiles = attempt(async () => {
    const asked = find;
    listedAt = task.files_done + task.files_failed;
    const answer = await get(path + '/files' + query({text: asked}));
    if (asked === find) {
      listed = answer;
      draw();
    }
  });

  /** Reads on from the last event that is known: a task can have thousands. */
  let reading = Promise.resolve();
  const readEvents = () => {
    reading = reading.then(attempt(async () => {
      let page;
      do {
        page = await get(path + '/events?limit=200' + (lastEvent ? '&cursor=' + part(lastEvent) : ''));
        page.events.forEach(event => events.set(event.number, event));
        lastEvent = page.next_cursor || lastEvent;
      } while (page.next_cursor && events.size < MOST_EVENTS);
      hasMore = Boolean(page.next_cursor);
      draw();
    }));
  };

  function update(now) {
    if (task && now.version < task.version) {
      return;
    }
    const isNewer = task?.version !== now.version;
    task = now;
    if (isNewer) {
      readEvents();
      readFiles();
    }
    if (isMoving(task)) {
      plot.add(task.bytes_per_second, Date.now());
    } else {
      plot.stop();
    }
    draw();
  }

  const change = word => button(word === 'resume' && task.state === 'retrying' ? 'Retry now' : word[0].toUpperCase() + word.slice(1), async () => {
    if (word !== 'cancel' || await confirm('Cancel this task?', 'Files that have arrived stay.', 'Cancel the task')) {
      update(await post(`${path}/${word}`));
    }
  }, {sign: SIGNS[word], style: word === 'cancel' ? 'risky' : ''});

  const modify = submit(async given => {
    update(await ask('PATCH', path, {
      label: given.label,
      limit: Math.round(Number(given.limit) * 1048576),
      priority: Number(given.priority),
      ...(given.deadline && given.deadline !== toLocal(task.deadline) && {deadline: fromLocal(given.deadline)}),
    }, {'If-Match': '*'}));
    tell('The task was modified.');
  });

  const content = () => {
    const all = [...events.values()];
    const top = [faults(all, task), progress(task)];
    return html`
    ${task.state === 'succeeded' ? top.reverse() : top}
    <section class="card" aria-label="Rate" ?hidden=${plot.isEmpty}><h2>Rate</h2>${plot.element}</section>
    ${files(task, listed, find, event => {
      find = event.target.value.trim();
      readFiles();
    })}
    <div class="columns">
      <section class="card" aria-label="Events"><h2>Events</h2>
        <ol class="events" reversed>${all.map(eventItem).reverse()}</ol>
        ${hasMore ? html`<p class="note">The first ${events.size} events are shown. For all of them:
          <code>fdt task events ${id}</code></p>` : nothing}</section>
      <div class="stack">
      <section class="card" aria-label="Facts"><h2>Facts</h2>${facts(task)}</section>
    ${!hasEnded(task) && may('tasks') ? html`<section class="card" aria-label="Modify"><h2>Modify</h2>
      <form class="stack" @submit=${modify}>
        ${field('Label', {name: 'label', value: task.label, maxlength: 200, wide: true})}
        <div class="row">${field('Limit, MiB/s', {name: 'limit', type: 'number', min: 0, step: 'any', placeholder: 'none',
          value: task.limit ? task.limit / 1048576 : ''})}
        ${field('Priority', {name: 'priority', type: 'number', min: -100, max: 100, value: task.priority})}
        ${field('Deadline', {name: 'deadline', type: 'datetime-local', value: toLocal(task.deadline)})}</div>
        ${problem}<div class="row"><button>Modify</button></div></form></section>` : nothing}</div></div>`;
  };

  const end = onTask(news => {
    if (news.task_id === id) {
      update(news);
    }
  });
  const load = attempt(async () => {
    try {
      update(await get(path));
    } catch (error) {
      refused = error;
      draw();
      return;
    }
    refused = null;
    const history = await get(path + '/rates');
    if (history.rates.length > 0) {
      plot.begin(history);
      draw();
    }
  });
  const endReturn = onReturn(load);
  const clock = setInterval(() => {
    if (['active', 'retrying'].includes(task?.state)) {
      draw();
      if (listedAt !== task.files_done + task.files_failed) {
        readFiles();
      }
    }
  }, 1000);
  load();
  return {
    title: () => task ? nameOf(task) : refused?.status === 404 ? 'No such task' : 'Task',
    state: () => task?.state,
    back: ['#/tasks', 'Activity'],
    actions: () => task && may('tasks') ? html`<div class="row">${changes(task).map(change)}
      ${task.kind === 'transfer' ? button('Submit again', () => openSheet(task), {sign: 'rotate-cw', style: hasEnded(task) ? 'main' : ''}) : nothing}</div>` : nothing,
    end() {
      clearInterval(clock);
      end();
      endReturn();
      plot.end();
    },
    content: () => task ? content() : !refused ? html`<div class="card">${loading}</div>`
      : html`<div class="card">${emptyState(refused.status === 404 ? 'search' : 'unplug', refused.message, refused.status === 404
        ? 'Tasks are removed some time after their end.' : '', html`<a class="button main" href="#/tasks">Go to Activity</a>`)}</div>`,
  };
}
