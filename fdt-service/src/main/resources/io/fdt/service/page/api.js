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
    throw new Refusal(0, {detail: 'the service does not answer; is it running?'});
  }
  const text = await response.text();
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
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

const listeners = new Set();
let source = null;

/** Hears each change of a task; the result ends that. */
export function onTask(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to listen; after a lost connection the browser begins again by itself. */
export function listen(lost) {
  source?.close();
  source = new EventSource('/api/v1/live');
  source.addEventListener('task', event => {
    const task = JSON.parse(event.data);
    listeners.forEach(listener => listener(task));
  });
  source.addEventListener('error', lost);
}

export function silence() {
  source?.close();
}
