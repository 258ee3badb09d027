package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Range;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.server.web.WebTransfer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * GET and HEAD: a file, ranges of it, or the page of a directory. Any thread.
 *
 * <p>A file that changes while it is read ends the connection, so that no client takes a mixture of
 * two versions for a whole.
 */
final class FileReading {
  private static final int BLOCK = 256 << 10;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Digests digests;

  FileReading(Digests digests) {
    this.digests = digests;
  }

  void serve(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    ListingVisitor.Item[] directory = new ListingVisitor.Item[1];
    HttpRefusal[] refusal = new HttpRefusal[1];
    exchange
        .client()
        .files()
        .list(
            path.path(),
            Storage.Depth.ITSELF,
            item -> {
              try {
                if (item.attributes().is(EntryKind.DIRECTORY)) {
                  directory[0] = item;
                } else {
                  file(exchange, path, item);
                }
              } catch (HttpRefusal e) {
                refusal[0] = e;
              }
            });
    if (refusal[0] != null) {
      throw refusal[0];
    }
    if (directory[0] != null) {
      directory(exchange, path);
    }
  }

  private static void directory(Exchange exchange, RequestPath path)
      throws FdtException, InterruptedException {
    if (!path.isDirectory()) {
      exchange.say(
          301,
          AnswerHeaders.of("Location", path.encoded(true)),
          "this is a directory; add a slash");
      return;
    }
    ListingPage.send(exchange, path);
  }

  private void file(Exchange exchange, RequestPath path, ListingVisitor.Item item)
      throws HttpRefusal, FdtException, InterruptedException {
    if (!item.attributes().is(EntryKind.FILE) || path.isDirectory()) {
      throw new HttpRefusal(
          404,
          item.attributes().is(EntryKind.FILE)
              ? "this is a file; leave the slash at the end out"
              : "this is neither a file nor a directory; links are not followed");
    }
    try (ListedFile file = item.opener().open()) {
      FileState state = new FileState(item.attributes(), file.version());
      HttpHeaders headers = AnswerHeaders.of("ETag", state.tag());
      headers.set("Last-Modified", state.modified());
      headers.set("Accept-Ranges", "bytes");
      if (!Conditions.check(exchange.headers(), Optional.of(state), true)) {
        exchange.answer(304, headers, Unpooled.EMPTY_BUFFER);
        return;
      }
      long size = state.version().size();
      List<Range> ranges =
          exchange.method().equals("GET") && Conditions.allowRanges(exchange.headers(), state)
              ? Ranges.of(exchange.header("Range"), size)
              : List.of();
      digests.add(exchange, file, state, headers);
      headers.set("Content-Type", "application/octet-stream");
      if (exchange.method().equals("HEAD")) {
        exchange.begin(200, headers, size);
        exchange.end();
        return;
      }
      try (WebTransfer transfer = exchange.client().transfer(true, path.path(), "");
          WebTransfer.Stream stream = transfer.stream()) {
        try {
          send(new Reading(exchange, path, file, state, stream), headers, ranges);
          transfer.read(ranges.isEmpty());
        } catch (FdtException e) {
          transfer.failed(e);
          throw e;
        }
      }
    }
  }

  private static void send(Reading reading, HttpHeaders headers, List<Range> ranges)
      throws FdtException, InterruptedException {
    long size = reading.state.version().size();
    Exchange exchange = reading.exchange;
    if (ranges.isEmpty()) {
      exchange.begin(200, headers, size);
      reading.send(new Range(0, size), true);
    } else if (ranges.size() == 1) {
      headers.set("Content-Range", Ranges.content(ranges.get(0), size));
      exchange.begin(206, headers, ranges.get(0).length());
      reading.send(ranges.get(0), true);
    } else {
      several(exchange, headers, ranges, reading);
    }
    exchange.end();
  }

  /** Answers with multipart/byteranges. */
  private static void several(
      Exchange exchange, HttpHeaders headers, List<Range> ranges, Reading reading)
      throws FdtException, InterruptedException {
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    String boundary = HexFormat.of().formatHex(random);
    long size = reading.state.version().size();
    List<byte[]> heads = new ArrayList<>();
    String end = "\r\n--" + boundary + "--\r\n";
    long length = end.length();
    for (Range range : ranges) {
      String head =
          "\r\n--%s\r\nContent-Type: application/octet-stream\r\nContent-Range: %s\r\n\r\n"
              .formatted(boundary, Ranges.content(range, size));
      heads.add(head.getBytes(StandardCharsets.US_ASCII));
      length += head.length() + range.length();
    }
    headers.set("Content-Type", "multipart/byteranges; boundary=" + boundary);
    exchange.begin(206, headers, length);
    for (int i = 0; i < ranges.size(); i++) {
      exchange.write(Unpooled.wrappedBuffer(heads.get(i)));
      reading.send(ranges.get(i), i == ranges.size() - 1);
    }
    exchange.write(Unpooled.copiedBuffer(end, StandardCharsets.US_ASCII));
  }

  /** The reads of one request. */
  private record Reading(
      Exchange exchange,
      RequestPath path,
      ListedFile file,
      FileState state,
      WebTransfer.Stream stream) {
    /**
     * Sends a range.
     *
     * @param isLast whether it checks before its last bytes that the file has not changed
     */
    void send(Range range, boolean isLast) throws FdtException, InterruptedException {
      for (long offset = range.start(); offset < range.end(); ) {
        int wanted = (int) Math.min(BLOCK, range.end() - offset);
        ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(wanted);
        boolean isRead = false;
        try {
          isRead = file.read(block, wanted, offset) == wanted;
          exchange.pause(stream.nanosToWait(wanted, System.nanoTime()));
          offset += wanted;
          if (!isRead
              || (isLast && offset == range.end() && !file.version().equals(state.version()))) {
            throw new FdtException(
                ErrorCode.SOURCE_CHANGED,
                "'%s' changed while it was read; ask for it again".formatted(path.path()));
          }
          exchange.write(block.retain());
        } finally {
          block.release();
        }
      }
    }
  }
}
