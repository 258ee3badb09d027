// In the syntax of the search a leading dash excludes a word. Here it is part of an option's name: --max-delete is found.
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  const isQuery = message && typeof message.data === "string";
  const query = isQuery ? { ...message, data: message.data.replace(/(^|\s)-+/g, "$1") } : message;
  return post.call(this, query, ...rest);
};
