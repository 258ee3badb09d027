// The REST interface. The header is what pages of others cannot send.

export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail || 'the service answered with status ' + status);
    this.status = status;
    this.problem = problem;
  }
}

export async function ask(method, path, body, headers = {}) {
  let response;
  try {
    response = await fetch('/api/v1/' + path, {
      method,
      credentials: 'same-origin',
      headers: {'X-FDT-Page': '1', ...headers},
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    throw new Refusal(0, {detail: 'The service does not answer. Is it running?'});
  }
  const content = await response.text();
  let json = {};
  try {
    json = content ? JSON.parse(content) : {};
  } catch (error) {
    json = {};
  }
  if (!response.ok) {
    throw new Refusal(response.status, json);
  }
  return json;
}

export const get = path => ask('GET', path);
export const post = (path, body) => ask('POST', path, body);
export const part = encodeURIComponent;

/** A query string of those parameters that have a value. */
export function query(parameters) {
  const known = Object.entries(parameters).filter(([, value]) =>
    value !== '' && value !== undefined && value !== null && value !== false);
  return known.length === 0 ? ''
    : '?' + known.map(([name, value]) => name + '=' + part(value)).join('&');
}

/** The user who is signed in. */
export const session = {user: '', scopes: []};

export const may = scope => session.scopes.includes(scope);

const listeners = new Set();
const returns = new Set();
let source = null;
let again = 0;

/** Receives each change of a task; the result ends that. */
export function onTask(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called when the service answers again; the result ends that. */
export function onReturn(listener) {
  returns.add(listener);
  return () => returns.delete(listener);
}

/**
 * Begins to listen.
 *
 * @param lost called when the connection is lost; the result says whether to try again
 */
export function listen(lost) {
  silence();
  let wasLost = false;
  // Administrators have a view of the tasks of all users.
  source = new EventSource('/api/v1/live' + (may('admin') ? '?user=*' : ''));
  source.addEventListener('task', event => {
    const task = JSON.parse(event.data);
    listeners.forEach(listener => listener(task));
  });
  source.addEventListener('open', () => {
    document.getElementById('lost').hidden = true;
    if (wasLost) {
      wasLost = false;
      returns.forEach(listener => listener());
    }
  });
  source.addEventListener('error', async () => {
    const own = source;
    wasLost = true;
    document.getElementById('lost').hidden = false;
    // A browser gives up after an answer that is no stream, such as that of a proxy.
    if (await lost() && own === source && own.readyState === EventSource.CLOSED) {
      again = setTimeout(() => {
        listen(lost);
        source.addEventListener('open', () => returns.forEach(listener => listener()), {once: true});
      }, 3000);
    }
  });
}

export function silence() {
  clearTimeout(again);
  source?.close();
  source = null;
  document.getElementById('lost').hidden = true;
}
