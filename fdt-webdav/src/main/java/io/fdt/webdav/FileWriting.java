package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.ListedFile;
import io.fdt.server.web.WebTransfer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PUT: a whole file, or one part of it after the other. Nothing has its name before all of it is
 * here and its digests agree. Any thread.
 */
final class FileWriting {
  private static final Pattern PART =
      Pattern.compile("bytes\\s+([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})");

  private static final Pattern TIME = Pattern.compile("([0-9]{1,15})(\\.[0-9]*)?");
  private static final int STEP = 1 << 20;
  private static final int LOCKS = 64;

  /** Checks of conditions and publications of one name, one at a time. */
  private final Object[] locks = new Object[LOCKS];

  FileWriting() {
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Object();
    }
  }

  void put(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    checkPlace(exchange, path);
    if (!exchange.header("Content-Encoding").isEmpty()) {
      throw new HttpRefusal(415, "files are stored as they come; leave Content-Encoding out");
    }
    Optional<FileState> before = FileState.find(exchange.client().files(), path);
    if (before.isPresent() && before.get().isDirectory()) {
      throw new HttpRefusal(405, "a directory has this name; choose another one");
    }
    if (path.isDirectory()) {
      throw new HttpRefusal(409, "a file has no slash at the end of its name; leave it out");
    }
    Conditions.check(exchange.headers(), before, false);
    try (WebTransfer transfer = exchange.client().transfer(false, path.path(), "")) {
      try {
        if (exchange.header("Content-Range").isEmpty()) {
          whole(exchange, path, transfer, before.isPresent());
        } else {
          part(exchange, path, transfer, before.isPresent());
        }
      } catch (FdtException e) {
        transfer.failed(e);
        throw e;
      } catch (HttpRefusal e) {
        transfer.failed(e.as(ErrorCode.USAGE));
        throw e;
      }
    }
  }

  /**
   * Checks that a name can be made.
   *
   * @throws HttpRefusal 409 when its directory does not exist
   */
  static void checkPlace(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    if (path.isRoot()) {
      throw new HttpRefusal(405, "the root of the exports cannot be written; name a file");
    }
    exchange.client().files().check(path.path(), true);
    Optional<FileState> parent = FileState.find(exchange.client().files(), path.parent());
    if (parent.isEmpty() || !parent.get().isDirectory()) {
      throw new HttpRefusal(409, "its directory does not exist; make it with MKCOL first");
    }
  }

  private void whole(Exchange exchange, RequestPath path, WebTransfer transfer, boolean existed)
      throws HttpRefusal, FdtException, InterruptedException {
    BodyDigests digests =
        BodyDigests.of(exchange.headers(), "Repr-Digest", "Content-Digest", "Digest");
    long length = exchange.bodyLength();
    try (Upload upload =
        Upload.begin(
            exchange.client(),
            path,
            length < 0 ? Upload.UNKNOWN : length,
            Conditions.wantNew(exchange.headers()))) {
      long bytes = receive(exchange, transfer, upload, digests, 0);
      digests.check(path);
      publish(exchange, path, transfer, upload, bytes, existed);
    }
  }

  private void part(Exchange exchange, RequestPath path, WebTransfer transfer, boolean existed)
      throws HttpRefusal, FdtException, InterruptedException {
    Matcher header = PART.matcher(exchange.header("Content-Range").strip());
    if (!header.matches()) {
      throw new HttpRefusal(400, "a part needs Content-Range: bytes FIRST-LAST/SIZE");
    }
    Range part;
    long size = Long.parseLong(header.group(3));
    try {
      part = new Range(Long.parseLong(header.group(1)), Long.parseLong(header.group(2)) + 1);
    } catch (IllegalArgumentException e) {
      throw new HttpRefusal(400, "the part ends before it begins");
    }
    if (part.end() > size
        || (exchange.bodyLength() >= 0 && exchange.bodyLength() != part.length())) {
      throw new HttpRefusal(400, "the part is not what Content-Range says; correct it");
    }
    if (part.length() == size) {
      whole(exchange, path, transfer, existed);
      return;
    }
    BodyDigests digests = BodyDigests.of(exchange.headers(), "Content-Digest");
    boolean isNew = Conditions.wantNew(exchange.headers());
    try (Upload upload = Upload.resume(exchange.client(), path, size, part.start(), isNew)) {
      long bytes = receive(exchange, transfer, upload, digests, part.start());
      if (bytes != part.length()) {
        upload.discard();
        throw new HttpRefusal(400, "the part is not what Content-Range says; correct it");
      }
      try {
        digests.check(path);
        if (part.end() < size) {
          transfer.partWritten();
          exchange.answer(202, AnswerHeaders.empty(), Unpooled.EMPTY_BUFFER);
          return;
        }
        checkAll(exchange, path, upload, size);
      } catch (FdtException e) {
        upload.discard();
        throw e;
      }
      publish(exchange, path, transfer, upload, size, existed);
    }
  }

  /** Compares the digest of the whole, which comes with its last part. */
  private static void checkAll(Exchange exchange, RequestPath path, Upload upload, long size)
      throws FdtException {
    BodyDigests digests = BodyDigests.of(exchange.headers(), "Repr-Digest", "Digest");
    hash(exchange, upload, size, digests);
    digests.check(path);
  }

  /** Reads what has arrived of a file. */
  static void hash(Exchange exchange, Upload upload, long size, BodyDigests digests)
      throws FdtException {
    if (digests.isEmpty()) {
      return;
    }
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(STEP);
    try {
      for (long offset = 0; offset < size; offset += block.readableBytes()) {
        int wanted = (int) Math.min(STEP, size - offset);
        if (upload.read(block.clear(), wanted, offset) < wanted) {
          break;
        }
        digests.update(block);
        exchange.checkStays();
      }
    } finally {
      block.release();
    }
  }

  private static long receive(
      Exchange exchange, WebTransfer transfer, Upload upload, BodyDigests digests, long start)
      throws FdtException, InterruptedException {
    long offset = start;
    try (WebTransfer.Stream stream = transfer.stream()) {
      for (ByteBuf piece = exchange.read(); piece != null; piece = exchange.read()) {
        try {
          upload.write(piece, offset);
          digests.update(piece);
          offset += piece.readableBytes();
          exchange.pause(stream.nanosToWait(piece.readableBytes(), System.nanoTime()));
        } finally {
          piece.release();
        }
      }
    }
    return offset - start;
  }

  private void publish(
      Exchange exchange,
      RequestPath path,
      WebTransfer transfer,
      Upload upload,
      long bytes,
      boolean existed)
      throws HttpRefusal, FdtException, InterruptedException {
    Matcher time = TIME.matcher(exchange.header("X-OC-MTime"));
    Timestamp modified = time.matches() ? new Timestamp(Long.parseLong(time.group(1)), 0) : null;
    synchronized (locks[Math.floorMod(path.hashCode(), LOCKS)]) {
      if (Conditions.areIn(exchange.headers())) {
        Optional<FileState> now = FileState.find(exchange.client().files(), path);
        Conditions.check(exchange.headers(), now, false);
      }
      try {
        upload.publish(modified);
      } catch (FdtException e) {
        throw Conditions.taken(Conditions.wantNew(exchange.headers()), e);
      }
    }
    transfer.written(bytes);
    HttpHeaders headers = AnswerHeaders.empty();
    if (modified != null) {
      headers.set("X-OC-MTime", "accepted");
    }
    FileState.find(exchange.client().files(), path)
        .ifPresent(state -> headers.set("ETag", state.tag()));
    exchange.answer(existed ? 204 : 201, headers, Unpooled.EMPTY_BUFFER);
  }

  /**
   * A file that a copy on this server makes.
   *
   * @param isNew whether its name must be free at the end, too
   */
  static void copy(
      Exchange exchange, RequestPath to, ListedFile from, Timestamp modified, boolean isNew)
      throws FdtException, InterruptedException {
    long size = from.version().size();
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(STEP);
    try (WebTransfer transfer = exchange.client().transfer(false, to.path(), "");
        WebTransfer.Stream stream = transfer.stream()) {
      try (Upload upload = Upload.begin(exchange.client(), to, size, isNew)) {
        for (long offset = 0; offset < size; offset += block.readableBytes()) {
          int wanted = (int) Math.min(STEP, size - offset);
          if (from.read(block.clear(), wanted, offset) < wanted) {
            throw new FdtException(
                ErrorCode.SOURCE_CHANGED,
                "the source of '%s' became shorter; copy it again".formatted(to.path()));
          }
          upload.write(block, offset);
          exchange.pause(stream.nanosToWait(wanted, System.nanoTime()));
          exchange.checkStays();
        }
        upload.publish(modified);
        transfer.written(size);
      } catch (FdtException e) {
        transfer.failed(e);
        throw e;
      }
    } finally {
      block.release();
    }
  }
}
