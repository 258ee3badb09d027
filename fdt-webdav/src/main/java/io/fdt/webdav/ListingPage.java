package io.fdt.webdav;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.core.unit.ByteSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

/**
 * The page of a directory for browsers: names, sizes, times; no script, nothing from elsewhere.
 * Confined to the thread of its request.
 *
 * <p>Directories first, then files, by name. Of a directory with more than {@link #SORTED} names
 * the others follow as the file system lists them, so that memory is bounded.
 */
final class ListingPage implements ListingVisitor {
  /** Memory: about 300 bytes each. */
  private static final int SORTED = 10_000;

  private static final String STYLE =
      "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0"
          + " 1em;color-scheme:light dark}h1{font-size:1.2em;overflow-wrap:anywhere}"
          + "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.15em"
          + " .6em;border-bottom:1px solid #8884}td:first-child{overflow-wrap:anywhere;width:100%}"
          + ".n{text-align:right;white-space:nowrap}a{text-decoration:none}a:hover{text-decoration:underline}";

  private static final String POLICY =
      "default-src 'none'; style-src 'sha256-"
          + hash(STYLE)
          + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withZone(ZoneOffset.UTC);

  private static final int FLUSHED = 64 << 10;

  private final Exchange exchange;
  private final StringBuilder text = new StringBuilder();
  private List<ListingVisitor.Item> first = new ArrayList<>();

  private ListingPage(Exchange exchange) {
    this.exchange = exchange;
  }

  static void send(Exchange exchange, RequestPath path) throws FdtException, InterruptedException {
    new ListingPage(exchange).send(path);
  }

  private static String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }

  private void send(RequestPath path) throws FdtException, InterruptedException {
    String title = Markup.escape(path.path().toString());
    text.append("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width\"><title>")
        .append(title)
        .append("</title><style>")
        .append(STYLE)
        .append("</style></head><body><h1>")
        .append(title)
        .append("</h1><table><tr><th>name</th><th class=\"n\">size</th>")
        .append("<th class=\"n\">modified (UTC)</th></tr>");
    if (!path.isRoot()) {
      text.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>");
    }
    exchange.client().files().list(path.path(), Storage.Depth.CONTENTS, this);
    if (first != null) {
      showFirst();
    }
    text.append("</table></body></html>\n");
    ByteBuf rest = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    if (exchange.hasBegun()) {
      exchange.write(rest);
      exchange.end();
    } else {
      exchange.answer(200, headers(), rest);
    }
  }

  private static HttpHeaders headers() {
    HttpHeaders headers = AnswerHeaders.of("Content-Type", "text/html; charset=utf-8");
    headers.set("Content-Security-Policy", POLICY);
    return headers;
  }

  @Override
  public void item(Item item) throws FdtException, InterruptedException {
    if (TemporaryName.isTemporary(item.name().bytes())) {
      return; // of a running transfer
    }
    if (first != null) {
      first.add(item);
      if (first.size() == SORTED) {
        showFirst();
      }
      return;
    }
    show(item);
  }

  private void showFirst() throws FdtException, InterruptedException {
    List<Item> sorted = first;
    first = null;
    sorted.sort(
        Comparator.comparing((Item item) -> !item.attributes().is(EntryKind.DIRECTORY))
            .thenComparing(item -> item.name().toString()));
    for (Item item : sorted) {
      show(item);
    }
  }

  private void show(Item item) throws FdtException, InterruptedException {
    boolean isDirectory = item.attributes().is(EntryKind.DIRECTORY);
    boolean isFile = item.attributes().is(EntryKind.FILE);
    String shown = Markup.escape(item.name() + (isDirectory ? "/" : ""));
    text.append("<tr><td>");
    if (isDirectory || isFile) {
      String href = "./" + RequestPath.encode(FileName.of(item.name().bytes()));
      text.append("<a href=\"").append(href).append(isDirectory ? "/" : "").append("\">");
      text.append(shown).append("</a>");
    } else {
      text.append(shown).append(kind(item.linkTarget()));
    }
    text.append("</td><td class=\"n\">")
        .append(isFile ? ByteSize.ofBytes(item.attributes().size()) : "")
        .append("</td><td class=\"n\">");
    if (item.attributes().modified() != null) {
      text.append(TIME.format(Instant.ofEpochSecond(item.attributes().modified().seconds())));
    }
    text.append("</td></tr>");
    if (text.length() >= FLUSHED) {
      if (!exchange.hasBegun()) {
        exchange.begin(200, headers(), -1);
      }
      exchange.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
      text.setLength(0);
    }
  }

  private static String kind(BytePath linkTarget) {
    return linkTarget.isEmpty() ? " (special file)" : " (link, not followed)";
  }
}
