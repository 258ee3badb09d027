package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.catalogue.Catalogue;
import io.fdt.core.unit.NumberText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Files of web servers by their URLs. A URL with a slash at its end is a directory, whose page
 * lists its names.
 */
final class HttpCatalogue implements Catalogue {
  private static final int FILE_MODE = 0644;
  private static final Item DIRECTORY = new Item(EntryKind.DIRECTORY, 0, 0755, null);

  /** Requests for sizes and times of a listing that run at once. */
  private static final int MOST_REQUESTS = 8;

  private static final int MOST_PAGE_BYTES = 64 << 20;

  /** A server may have names that lead back to themselves. */
  private static final int LONGEST_URL = 4096;

  private static final int STEP = 1 << 20;

  private final WebClient web;

  /** The time of a file whose server gives none. */
  private final Instant started = Instant.now();

  /** Files that are read in blocks, until they are read. */
  private final Map<BytePath, HttpFile> files = new ConcurrentHashMap<>();

  /** Listed files that could not be looked up; each fails when it is opened. */
  private final Map<BytePath, FdtException> failures = new ConcurrentHashMap<>();

  private final ExecutorService requests =
      Executors.newFixedThreadPool(
          MOST_REQUESTS,
          work -> {
            Thread thread = new Thread(work, "fdt-http");
            thread.setDaemon(true);
            return thread;
          });

  HttpCatalogue(WebClient web) {
    this.web = web;
  }

  @Override
  public FileName nameOf(BytePath path) throws FdtException {
    return Urls.nameOf(path);
  }

  @Override
  public Optional<Item> find(BytePath path) throws FdtException {
    URI url = Urls.of(path);
    try (Answer answer = head(url)) {
      boolean isDirectory =
          Urls.isDirectory(url) || Urls.pathOf(answer.url()).equals(Urls.pathOf(url) + "/");
      if (answer.isMissing()) {
        return Optional.empty();
      }
      if (answer.status() != Answer.OK && answer.status() != Answer.PARTIAL) {
        throw answer.failure(Urls.shown(url));
      }
      return Optional.of(isDirectory ? DIRECTORY : file(url, answer));
    }
  }

  /** The headers of a file; by its first byte where HEAD is refused, as signed URLs do. */
  private Answer head(URI url) throws FdtException {
    Answer answer = web.send("HEAD", url, url, ReprDigest.WANTED);
    switch (answer.status()) {
      case 400, 403, 405, 501 -> {
        answer.close();
        Map<String, String> headers = new HashMap<>(ReprDigest.WANTED);
        headers.put("Range", "bytes=0-0");
        Answer first = web.send("GET", url, url, headers);
        if (first.status() != Answer.NO_SUCH_RANGE) {
          return first;
        }
        first.close(); // it is empty
        return web.send("GET", url, url, ReprDigest.WANTED);
      }
      default -> {
        return answer;
      }
    }
  }

  private Item file(URI url, Answer answer) throws FdtException {
    OptionalLong known = answer.size();
    long size = known.isPresent() ? known.getAsLong() : measured(url);
    Version version = Version.of(answer.headers());
    FileStamp stamp = version.stamp();
    if (ReprDigest.isIn(answer.headers())) {
      // All bytes must be read for the digest, also those that the destination has.
      stamp = FileStamp.of(stamp.identity());
    }
    return new Item(EntryKind.FILE, size, FILE_MODE, version.modified(started), stamp);
  }

  /** The size of a file whose server does not say it: it is read once for it. */
  private long measured(URI url) throws FdtException {
    try (Answer answer = web.send("GET", url, url, Map.of())) {
      if (answer.status() != Answer.OK) {
        throw answer.failure(Urls.shown(url));
      }
      ByteBuf step = Unpooled.buffer(STEP, STEP);
      long size = 0;
      while (!answer.body().isAtEnd()) {
        size += answer.body().read(step.clear(), STEP);
      }
      return size;
    }
  }

  @Override
  public Names list(BytePath directory) throws FdtException {
    BytePath path = withSlash(directory);
    URI url = Urls.of(path);
    if (path.length() > LONGEST_URL) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'%s' is too deep; leave it out with --exclude".formatted(Urls.shown(url)));
    }
    Map<FileName, Boolean> names;
    try (Answer answer = web.send("GET", url, url, Map.of())) {
      names = names(url, answer);
    }
    Map<FileName, Future<Item>> looked = new HashMap<>();
    names.forEach(
        (name, isDirectory) -> {
          if (!isDirectory) {
            BytePath file = path.resolve(BytePath.of(name.bytes()));
            looked.put(name, requests.submit(() -> listed(file)));
          }
        });
    List<Listed> listed = new ArrayList<>();
    for (FileName name : names.keySet()) {
      listed.add(new Listed(name, names.get(name) ? DIRECTORY : result(looked.get(name), url)));
    }
    return Names.of(listed);
  }

  private static BytePath withSlash(BytePath directory) {
    byte[] bytes = Arrays.copyOf(directory.bytes(), directory.length() + 1);
    bytes[directory.length()] = '/';
    return directory.endsWithSlash() ? directory : BytePath.of(bytes);
  }

  private static Map<FileName, Boolean> names(URI url, Answer answer) throws FdtException {
    if (answer.status() != Answer.OK) {
      throw answer.failure(Urls.shown(url));
    }
    if (!answer.url().getHost().equalsIgnoreCase(url.getHost())
        || !Urls.pathOf(answer.url()).equals(Urls.pathOf(url))) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' redirects to another place, '%s'; name that one"
              .formatted(Urls.shown(url), Urls.shown(answer.url())));
    }
    String type = answer.headers().firstValue("Content-Type").orElse("");
    ByteBuf page = Unpooled.buffer();
    if (!type.matches("(?i)\\s*(text/html|application/xhtml\\+xml)\\b.*")) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' is not a page that lists a directory; name its files with --files-from"
              .formatted(Urls.shown(url)));
    }
    int read = answer.body().read(page, MOST_PAGE_BYTES);
    if (!answer.body().isAtEnd()) {
      throw new FdtException(
          ErrorCode.RESOURCES,
          "'%s' lists more than fits into %s; name its files with --files-from"
              .formatted(Urls.shown(url), NumberText.bytes(MOST_PAGE_BYTES)));
    }
    return IndexPage.names(answer.url(), page.toString(0, read, StandardCharsets.UTF_8));
  }

  private Item listed(BytePath file) {
    FdtException failure;
    try {
      Optional<Item> found = find(file);
      if (found.isPresent()) {
        return found.get();
      }
      failure =
          new FdtException(
              ErrorCode.NOT_FOUND,
              "'" + file + "' is listed and does not exist; ask who runs the server");
    } catch (FdtException e) {
      failure = e;
    }
    failures.put(file, failure);
    return new Item(EntryKind.FILE, 0, FILE_MODE, new Timestamp(started.getEpochSecond(), 0));
  }

  private static Item result(Future<Item> looked, URI url) throws FdtException {
    try {
      return looked.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(
          ErrorCode.CANCELLED, "'" + Urls.shown(url) + "' was not listed to its end", e);
    } catch (ExecutionException e) {
      throw FdtException.unforeseen("listing failed", e.getCause());
    }
  }

  @Override
  public BlockReader open(BytePath path, Item item) throws FdtException {
    FdtException failure = failures.get(path);
    if (failure != null) {
      throw failure;
    }
    URI url = Urls.of(path);
    return new Reader(path, files.computeIfAbsent(path, any -> new HttpFile(web, url, item)));
  }

  @Override
  public void close() {
    requests.shutdownNow();
    files.values().forEach(HttpFile::pause);
    files.clear();
  }

  private final class Reader implements BlockReader {
    private final BytePath path;
    private final HttpFile file;
    private volatile boolean closed;

    Reader(BytePath path, HttpFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was read");
      }
      return file.read(target, length, offset);
    }

    @Override
    public void checkUnchanged() {
      // Each response says of which version it is.
    }

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    @Override
    public void close() {
      closed = true;
      file.pause();
      if (file.isForgettable()) {
        files.remove(path, file);
      }
    }
  }
}
