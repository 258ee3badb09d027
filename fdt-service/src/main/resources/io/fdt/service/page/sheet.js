// The sheet: what moves, how, and when.

import {get, part, post, query} from './api.js';
import {bytes, count, fromLocal, rateWord} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, copier, field, icon, openDialog, problem, tell, values} from './parts.js';

const MIB = 1048576;
const ASPECTS = [['mode', 'Permissions'], ['times', 'Times'], ['sparse', 'Holes'],
  ['hard-links', 'Hard links'], ['xattrs', 'Extended attributes'], ['acls', 'Access lists'],
  ['owner', 'Owner and group'], ['special-bits', 'Special bits'], ['all-xattrs', 'All attributes']];
const USUAL_ASPECTS = ['mode', 'times', 'sparse'];

/** Choices, the usual one first: those are not sent, but for the first two. */
const CHOICES = {
  sync: [['mtime', 'size or time differ'], ['size', 'the size differs'],
    ['checksum', 'the content differs (both ends read it)'], ['exists', 'never: what is there stays']],
  checksum: [['crc32c', 'CRC32C'], ['xxh3', 'XXH3'], ['blake3', 'BLAKE3'], ['sha256', 'SHA-256'], ['none', 'none']],
  changing: [['fail', 'report it'], ['skip', 'leave it out'], ['copy', 'copy it as it is']],
  delta: [['auto', 'where that is faster'], ['always', 'yes'], ['off', 'no']],
  direct_io: [['auto', 'drop a large copy from it'], ['on', 'go around it'], ['off', 'leave files in it']],
  links: [['copy', 'copy as links'], ['follow', 'copy what they point to'], ['skip', 'leave out']],
  names: [['keep', 'stay'], ['encode', 'are encoded there'], ['decode', 'are decoded']],
  compress: [['off', 'no'], ['auto', 'where it helps'], ['zstd', 'zstd'], ['lz4', 'LZ4'], ['deflate', 'deflate']],
};
const BOXES = ['update', 'delete', 'delete_from_empty', 'verify', 'fsync', 'encrypt', 'one_file_system'];
const TEXTS = ['backup_dir', 'delta_from', 'max_age', 'min_age', 'congestion', 'limit_schedule'];

/** Numbers, and what one of the field's is in the service's unit. */
const NUMBERS = {max_delete: 1, max_depth: 1, readers: 1, writers: 1, min_size: MIB, max_size: MIB,
  block_size: 1024, socket_buffer: 1024};

const UNITS = [['60', 'minutes'], ['3600', 'hours'], ['86400', 'days'], ['604800', 'weeks']];

const lines = text => text.split('\n').map(line => line.trim()).filter(line => line);

/** The values of the fields for a task as the service shows it. */
function valuesOf(task) {
  const options = task.options || {};
  const rules = sign => (options.filters || []).filter(rule => rule[0] === sign).map(rule => rule.slice(2)).join('\n');
  const numbers = Object.entries(NUMBERS).filter(([name]) => options[name] !== undefined)
      .map(([name, factor]) => [name, options[name] / factor]);
  return {
    ...options,
    ...Object.fromEntries(numbers),
    ...task,
    source_paths: (task.source_paths || []).join('\n'),
    limit: task.limit ? task.limit / MIB : '',
    exclude: rules('-'),
    include: rules('+'),
    streams: options.tune_streams ? 'auto' : options.streams,
    preserve: options.preserve || USUAL_ASPECTS,
  };
}

/** The options that the fields say; the times of a task that was given stay where no others are. */
function optionsOf(given, former) {
  const options = {recursive: true, sync: given.sync, checksum: given.checksum};
  for (const name of BOXES.filter(one => one in given)) {
    options[name] = true;
  }
  for (const name of ['changing', 'delta', 'direct_io', 'links', 'names', 'compress'].filter(one => given[one] && given[one] !== CHOICES[one][0][0])) {
    options[name] = given[name];
  }
  for (const name of TEXTS.filter(one => given[one])) {
    options[name] = given[name];
  }
  for (const [name, factor] of Object.entries(NUMBERS).filter(([one]) => given[one])) {
    options[name] = Math.round(Number(given[name]) * factor);
  }
  if (given.streams === 'auto') {
    options.tune_streams = true;
  } else if (given.streams) {
    options.streams = Number(given.streams);
  }
  // The first pattern that matches decides.
  const filters = [...lines(given.include).map(line => '+ ' + line), ...lines(given.exclude).map(line => '- ' + line)];
  if (filters.length > 0) {
    options.filters = filters;
  }
  const kept = ASPECTS.map(([word]) => word).filter(word => 'keep-' + word in given);
  if (kept.join() !== USUAL_ASPECTS.join()) {
    options.preserve = kept.length === 0 ? ['none'] : kept;
  }
  if (former.modified_after && !given.max_age) {
    options.modified_after = former.modified_after;
  }
  if (former.modified_before && !given.min_age) {
    options.modified_before = former.modified_before;
  }
  return options;
}

const taskOf = (given, former) => ({
  source_endpoint: given.source_endpoint,
  source_paths: lines(given.source_paths),
  destination_endpoint: given.destination_endpoint,
  destination_path: given.destination_path,
  label: given.label,
  priority: Number(given.priority),
  limit: Math.round(Number(given.limit) * MIB),
  options: optionsOf(given, former),
});

const timerOf = (given, former) => ({
  name: given.timer,
  interval: Math.round(Number(given.every) * Number(given.unit)),
  task: taskOf(given, former),
  ...(given.start && {start: fromLocal(given.start)}),
  ...(given.end && {end: fromLocal(given.end)}),
  ...(given.window && {window: given.window}),
});

const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The command that submits the same task. */
export function command(task) {
  const {recursive, sync, checksum, filters = [], preserve, tune_streams: isTuned, ...others} = task.options;
  const words = ['fdt', 'task', 'submit', ...recursive ? ['-r'] : []];
  const add = (name, value) => words.push('--' + name.replaceAll('_', '-'), ...value === true ? [] : [String(value)]);
  if (sync !== CHOICES.sync[0][0]) {
    add('sync', sync);
  }
  if (checksum !== CHOICES.checksum[0][0]) {
    add('checksum', checksum);
  }
  // A bound of times that was an age once has no option of the command.
  Object.entries(others).filter(([name, value]) => value !== false && value !== '' && !name.startsWith('modified_')).forEach(([name, value]) =>
    name === 'limit_schedule' ? add('limit', value) : add(name, value));
  filters.forEach(rule => add(rule[0] === '+' ? 'include' : 'exclude', rule.slice(2)));
  if (preserve) {
    add('preserve', preserve.join(','));
  }
  if (isTuned) {
    add('streams', 'auto');
  }
  if (task.limit) {
    add('limit', rateWord(task.limit));
  }
  if (task.label) {
    add('label', task.label);
  }
  if (task.priority) {
    add('priority', task.priority);
  }
  return [...words, ...task.source_paths.map(path => `${task.source_endpoint}:${path}`),
    `${task.destination_endpoint}:${task.destination_path}`].map(quoted).join(' ');
}

/** Paths that are counted; more take too many requests. */
const MOST_COUNTED = 50;

/** Counts what the paths hold, and draws as it gets on. A count of other paths ends this one. */
class Count {
  constructor(draw) {
    this.draw = draw;
    this.key = null;
    this.state = 'none';
  }

  async of(endpoint, paths) {
    const key = JSON.stringify([endpoint, paths]);
    if (key === this.key) {
      return;
    }
    Object.assign(this, {key, files: 0, bytes: 0, isComplete: true,
      state: !endpoint || paths.length === 0 ? 'none' : paths.length > MOST_COUNTED ? 'many' : 'counting'});
    if (this.state === 'counting') {
      try {
        for (const path of paths) {
          const size = await get(`endpoints/${part(endpoint)}/size` + query({path}));
          if (key !== this.key) {
            return;
          }
          this.files += size.files;
          this.bytes += size.bytes;
          this.isComplete = this.isComplete && size.complete;
          this.draw();
        }
        this.state = 'counted';
      } catch (error) {
        if (key !== this.key) {
          return;
        }
        this.state = 'failed';
        this.message = error.message;
      }
    }
    this.draw();
  }

  text() {
    const sum = `${count(this.files ?? 0, 'file')}, ${bytes(this.bytes ?? 0)}`;
    switch (this.state) {
      case 'many': return 'These are too many paths to count before the start.';
      case 'counting': return html`Counting: <strong>${sum}</strong> so far.`;
      case 'counted': return html`<strong>${this.isComplete ? sum : 'At least ' + sum}</strong>.`;
      case 'failed': return html`<span class="error">Not counted: ${this.message}</span>`;
      default: return nothing;
    }
  }
}

function sentence(task, counted) {
  const [first, ...rest] = task.source_paths;
  if (!first || !task.source_endpoint || !task.destination_endpoint) {
    return 'Choose both ends and what to copy.';
  }
  const name = first.endsWith('/') ? `the contents of ${first}` : first;
  return html`Copy <strong>${name}${rest.length > 0 ? ' and ' + count(rest.length, 'more name') : ''}</strong> from
    <strong>${task.source_endpoint}</strong> to <strong>${task.destination_path}</strong> at
    <strong>${task.destination_endpoint}</strong>. ${counted}`;
}

const MOST_SHOWN = 200;
const nameList = (names, all) => html`<ul>${names.map(name => html`<li class="mono">${name}</li>`)}
  ${all > names.length && names.length >= MOST_SHOWN ? html`<li class="soft">and ${(all - names.length).toLocaleString()} more</li>` : nothing}</ul>`;

/** The result of a dry run. */
function shownPreview(preview) {
  return html`<section class="preview card" aria-label="Dry run" aria-live="polite">
    <p>${icon('circle-check')} <strong>${preview.files_due === 0 ? 'Nothing to transfer' : `${count(preview.files_due, 'file')} to transfer (${preview.files_due - preview.files_replaced} new, ${preview.files_replaced} changed), ${
      bytes(preview.bytes_due)}`}</strong>; ${count(preview.files_unchanged, 'file')} unchanged${
      preview.deleted ? html`, <strong class="error">${count(preview.deleted, 'name')} to delete</strong>` : ''}.</p>
    ${preview.problems.length > 0 ? html`<div class="error">${nameList(preview.problems, 0)}</div>` : nothing}
    ${preview.deleted > 0 ? html`<details open><summary class="fold">Would be deleted</summary>${nameList(preview.deleted_names, preview.deleted)}</details>` : nothing}
    ${preview.files_due > 0 ? html`<details><summary class="fold">Would be transferred</summary>${nameList(preview.names, preview.files_due)}</details>` : nothing}
  </section>`;
}

/** The fields; at first they hold what is known of the task. */
function fields(known, endpoints, isTimer, setTimer) {
  const names = endpoints.map(({name}) => [name, name]);
  const text = (label, name, more) => field(label, {name, value: known[name], ...more});
  const number = (label, name, more) => text(label, name, {type: 'number', min: 0, ...more});
  const choice = (label, name, choices = CHOICES[name]) =>
    text(label, name, {choices, value: known[name] ?? choices[0]?.[0], required: true});
  const box = (label, name) => field(label, {name, type: 'checkbox', checked: known[name] === true});
  const time = (label, name, more) => text(label, name, {type: 'datetime-local', ...more});
  const group = (title, content) => html`<details><summary class="fold">${title}</summary><div class="row">${content}</div></details>`;
  const paths = lines(known.source_paths).length;
  return {ends: html`
    <div class="route">
      <fieldset><legend class="hidden">From</legend>
        ${choice('From endpoint', 'source_endpoint', names)}
        ${text('Paths, one in each line', 'source_paths', {rows: Math.min(6, Math.max(2, paths)), required: true, wide: true,
          hint: 'A path that ends with / stands for its contents.'})}</fieldset>
      ${icon('arrow-right')}
      <fieldset><legend class="hidden">To</legend>
        ${choice('To endpoint', 'destination_endpoint', names)}
        ${text('To path', 'destination_path', {required: true, wide: true, hint: 'Ends with / where it is a directory.'})}</fieldset>
    </div>`,
  usual: html`
    <div class="stack">
      <div class="row">${text('Label', 'label', {maxlength: 200, wide: true, placeholder: 'such as: nightly results'})}
        ${number('Limit, MiB/s', 'limit', {step: 'any', placeholder: 'none'})}</div>
      ${choice('Replace a file when', 'sync')}
      <div class="row">${box('Delete there what the source lacks', 'delete')}${box('Read files back and compare', 'verify')}</div>
    </div>`,
  folded: html`
    <div class="folds">
    ${group('Replacing and deleting', html`
      ${box('Keep files that are newer there', 'update')}
      ${number('Delete nothing if more than', 'max_delete', {placeholder: 'any number'})}
      ${box('Delete even if the source is empty', 'delete_from_empty')}
      ${text('Move replaced and deleted files to', 'backup_dir', {placeholder: 'not kept', wide: true,
        hint: 'A directory, relative to the destination.'})}
      ${text('Older files to look for bytes in', 'delta_from', {placeholder: 'those replaced', wide: true,
        hint: 'A file or directory, relative to the destination.'})}`)}
    ${group('Safety', html`
      ${box('Force files to the disk before they count as done', 'fsync')}${box('Encrypt data on the way', 'encrypt')}
      ${choice('Checksum of files', 'checksum')}
      ${choice('A file that changes meanwhile', 'changing')}`)}
    ${group('Filters', html`
      ${text('Leave out, one pattern in each line', 'exclude',
        {rows: 2, placeholder: '*.tmp\ncache/', wide: true, hint: 'As in .gitignore.'})}
      ${text('Take in any case', 'include', {rows: 2, placeholder: 'important.tmp', wide: true})}
      ${number('At least, MiB', 'min_size', {step: 'any', placeholder: 'none'})}
      ${number('At most, MiB', 'max_size', {step: 'any', placeholder: 'none'})}
      ${text('Changed within', 'max_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 7d'})}
      ${text('Not changed for', 'min_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 2h'})}
      ${number('Directories deep', 'max_depth', {min: 1, placeholder: 'no bound'})}
      ${box('Stay on one file system', 'one_file_system')}`)}
    ${group('Speed', html`
      ${text('Streams', 'streams', {pattern: 'auto|[0-9]{1,3}', placeholder: 'as needed', hint: 'A number, or auto.'})}
      ${choice('Compress', 'compress')}${choice('Send only what changed', 'delta')}
      ${number('Priority', 'priority', {min: -100, max: 100, placeholder: '0', hint: 'Your tasks with a higher one go first.'})}
      ${text('Rates by time of day', 'limit_schedule', {placeholder: '09:00-18:00=100M,else=off', wide: true,
        hint: 'As --limit of fdt copy.'})}
      ${number('Readers per disk', 'readers', {min: 1, max: 64, placeholder: '2'})}
      ${number('Writers per disk', 'writers', {min: 1, max: 64, placeholder: '2'})}
      ${choice('Page cache', 'direct_io')}
      ${number('Block, KiB', 'block_size', {min: 4, max: 65536, placeholder: '1024'})}
      ${number('Socket buffer, KiB', 'socket_buffer', {max: 1048576, placeholder: 'by the system'})}
      ${text('Congestion control', 'congestion', {pattern: '[a-z0-9_\\-]{0,15}', placeholder: 'by the system'})}`)}
    ${group('Attributes and links', html`
      ${ASPECTS.map(([word, label]) =>
        field(label, {name: 'keep-' + word, type: 'checkbox', checked: known.preserve.includes(word)}))}
      ${choice('Symbolic links', 'links')}${choice('Names that Windows refuses', 'names')}`)}
    </div>`,
  when: html`
    <div class="row">${field('Repeat by a timer', {name: 'repeat', type: 'checkbox', checked: isTimer,
      change: ({target}) => setTimer(target.checked)})}</div>
    <div class="row" ?hidden=${isTimer}>
      ${time('Deadline', 'deadline', {value: '', hint: 'Without a time: in three days.', disabled: isTimer})}</div>
    <fieldset ?hidden=${!isTimer} ?disabled=${!isTimer}><legend>Timer</legend><div class="row">
      ${text('Name', 'timer', {pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', maxlength: 63, required: true,
        hint: 'Letters, digits, dot, dash.'})}
      ${number('Interval', 'every', {min: 1, max: 31622400, value: 1, required: true})}
      ${text('Unit', 'unit', {choices: UNITS, value: '86400'})}
      ${time('Start', 'start', {hint: 'Without a time: now.'})}${time('End', 'end')}
      ${text('Window', 'window', {pattern: '[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}', placeholder: '22:00-06:00',
        hint: 'By the clock of the service. Without hours: all day.'})}</div></fieldset>`};
}

/**
 * Opens the sheet for a task.
 *
 * @param task what is known of it: as the service shows tasks
 * @param isTimer whether it is to be repeated
 * @param done called when a timer was made, where the view does not change then
 */
export async function openSheet(task, isTimer = false, done = null) {
  const {endpoints} = await get('endpoints');
  const known = valuesOf(task);
  const former = task.options || {};
  // The same for each try of this sheet: a request whose answer was lost does not start a second task.
  const id = crypto.randomUUID();
  let isRepeated = isTimer;
  let isSent = false;
  let preview = null;
  let isLooking = false;
  let redraw = () => {};
  const counted = new Count(() => redraw());
  const formOf = () => document.querySelector('dialog.sheet form');
  const now = () => taskOf(formOf() ? values(formOf())
    : {...known, source_endpoint: known.source_endpoint ?? endpoints[0]?.name ?? '', destination_path: known.destination_path ?? '',
      destination_endpoint: known.destination_endpoint ?? endpoints[0]?.name ?? '', sync: 'mtime', checksum: 'crc32c', limit: known.limit || 0,
      priority: 0}, former);

  async function send(given, close) {
    if (isRepeated) {
      const timer = await post('timers', timerOf(given, former));
      close();
      tell('The timer ' + timer.name + ' was created.');
      if (done) {
        done();
      } else {
        location.hash = '#/timers';
      }
      return;
    }
    const made = await submitTask({...taskOf(given, former), submission_id: id,
      ...(given.deadline && {deadline: fromLocal(given.deadline)})});
    close();
    location.hash = '#/tasks/' + made.task_id;
  }

  async function look() {
    if (!formOf().reportValidity()) {
      return;
    }
    const {source_endpoint, source_paths, destination_endpoint, destination_path, options} = now();
    isLooking = true;
    redraw();
    try {
      preview = await post('previews', {source_endpoint, source_paths, destination_endpoint, destination_path, options});
    } finally {
      isLooking = false;
      redraw();
    }
    document.querySelector('.preview')?.scrollIntoView({block: 'nearest'});
  }

  let pause = 0;
  const changed = () => {
    preview = null;
    redraw();
    clearTimeout(pause);
    pause = setTimeout(recount, 400);
  };
  const recount = () => {
    if (formOf()) {
      const {source_endpoint, source_paths} = now();
      counted.of(source_endpoint, source_paths);
    }
  };

  openDialog(isTimer ? 'New timer' : 'Transfer', (close, draw) => {
    redraw = () => formOf() && draw();
    const {ends, usual, folded, when} = fields(known, endpoints, isRepeated, isOn => {
      isRepeated = isOn;
      draw();
    });
    const shown = now();
    return html`
    <form @input=${changed} @submit=${attempt(async ({target}) => {
      if (isSent) {
        return;
      }
      isSent = true;
      try {
        await send(values(target), close);
      } finally {
        isSent = false;
      }
    })} @invalid=${{capture: true, handleEvent: ({target}) => {
      // A field that is wrong can be in a part that is folded: the browser could not show it.
      target.closest('details')?.setAttribute('open', '');
    }}}><div class="pages" @toggle=${{capture: true, handleEvent: ({target}) => target.open && target.scrollIntoView({block: 'nearest'})}}>
      <p class="sentence" aria-live="polite">${sentence(shown, counted.text())}</p>
      ${preview ? shownPreview(preview) : nothing}
      ${ends}${usual}${folded}${when}
      <details><summary class="fold">The same as a command</summary>
        <div class="command"><code>${command(shown)}</code>${copier(() => command(now()), 'Copy the command')}</div></details>
      ${problem}</div>
      <div class="decide last"><button class="main">${isRepeated ? 'Create the timer' : 'Start'}</button>
        ${button(isLooking ? 'Comparing.' : 'Dry run', look, {disabled: isLooking, sign: 'eye'})}
        <span class="spacer"></span><button type="button" class="plain" @click=${() => close()}>Back</button></div></form>`;
  }, {style: 'sheet', closed: () => { redraw = () => {}; }});
  recount();
}

/** The id was used for what the form said before a change: then it is another task. */
async function submitTask(body) {
  try {
    return await post('tasks', body);
  } catch (error) {
    if (error.status === 409 && error.message.includes('submission id')) {
      return post('tasks', {...body, submission_id: crypto.randomUUID()});
    }
    throw error;
  }
}
