package io.fdt.webdav;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.name.TemporaryName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.namespace.QName;

/**
 * PROPFIND of depth 0 and 1: the properties of files and directories, as they are listed, in
 * bounded memory. Confined to the thread of its request.
 */
final class Properties {
  private static final int FLUSHED = 64 << 10;

  private static final List<String> ALL =
      List.of(
          "resourcetype",
          "displayname",
          "getlastmodified",
          "getetag",
          "getcontentlength",
          "getcontenttype");

  private static final String INFINITE =
      """
      <?xml version="1.0" encoding="utf-8"?>
      <D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>
      """;

  private final Exchange exchange;
  private final RequestPath path;
  private final PropertyRequest wanted;
  private final StringBuilder text =
      new StringBuilder(
          "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n");

  private Properties(Exchange exchange, RequestPath path, PropertyRequest wanted) {
    this.exchange = exchange;
    this.path = path;
    this.wanted = wanted;
  }

  static void find(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    String depth = exchange.header("Depth").strip();
    if (!depth.equals("0") && !depth.equals("1")) {
      ByteBuf body = Unpooled.copiedBuffer(INFINITE, StandardCharsets.UTF_8);
      exchange.answer(403, xml(), body);
      return;
    }
    PropertyRequest wanted = PropertyRequest.of(exchange);
    Optional<FileState> state = FileState.find(exchange.client().files(), path);
    if (state.isEmpty()) {
      throw new HttpRefusal(404, "nothing has this name");
    }
    new Properties(exchange, path, wanted).send(state.get(), depth.equals("1"));
  }

  private static HttpHeaders xml() {
    return AnswerHeaders.of("Content-Type", "application/xml; charset=utf-8");
  }

  private void send(FileState itself, boolean withContents)
      throws FdtException, InterruptedException {
    add(path.encoded(itself.isDirectory()), itself.attributes());
    if (withContents && itself.isDirectory()) {
      exchange.client().files().list(path.path(), Storage.Depth.CONTENTS, this::item);
    }
    text.append("</D:multistatus>\n");
    ByteBuf rest = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    if (exchange.hasBegun()) {
      exchange.write(rest);
      exchange.end();
    } else {
      exchange.answer(207, xml(), rest);
    }
  }

  /** Links and special files are left out: a client could do nothing with them. */
  private void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
    Attributes attributes = item.attributes();
    boolean isDirectory = attributes.is(EntryKind.DIRECTORY);
    byte[] name = item.name().bytes();
    if ((isDirectory || attributes.is(EntryKind.FILE)) && !TemporaryName.isTemporary(name)) {
      String href = path.encoded(true) + RequestPath.encode(FileName.of(name));
      add(isDirectory ? href + "/" : href, attributes);
    }
    if (text.length() >= FLUSHED) {
      if (!exchange.hasBegun()) {
        exchange.begin(207, xml(), -1);
      }
      exchange.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
      text.setLength(0);
    }
  }

  private void add(String href, Attributes attributes) {
    FileState state = FileState.of(attributes);
    text.append("<D:response><D:href>").append(href).append("</D:href><D:propstat><D:prop>");
    List<QName> missing = new ArrayList<>();
    if (wanted.names().isEmpty()) {
      for (String name : ALL) {
        String value = value(name, state, href);
        if (value != null) {
          element(name, wanted.namesOnly() ? "" : value);
        }
      }
    }
    for (QName name : wanted.names()) {
      String value =
          name.getNamespaceURI().equals(PropertyRequest.DAV)
              ? value(name.getLocalPart(), state, href)
              : null;
      if (value == null) {
        missing.add(name);
      } else {
        element(name.getLocalPart(), value);
      }
    }
    text.append("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>");
    if (!missing.isEmpty()) {
      text.append("<D:propstat><D:prop>");
      for (QName name : missing) {
        text.append(name.getNamespaceURI().isEmpty() ? "<" : "<X:")
            .append(name.getLocalPart())
            .append(name.getNamespaceURI().isEmpty() ? " xmlns=\"" : " xmlns:X=\"")
            .append(Markup.escape(name.getNamespaceURI()))
            .append("\"/>");
      }
      text.append("</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>");
    }
    text.append("</D:response>\n");
  }

  private void element(String name, String value) {
    text.append("<D:").append(name).append('>').append(value);
    text.append("</D:").append(name).append('>');
  }

  /** A property as XML; null for one that the file has not. */
  private static String value(String name, FileState state, String href) {
    boolean isFile = state.attributes().is(EntryKind.FILE);
    return switch (name) {
      case "resourcetype" -> state.isDirectory() ? "<D:collection/>" : "";
      case "displayname" -> {
        String last = href.replaceFirst("/$", "").replaceFirst(".*/", "");
        yield Markup.escape(decoded(last));
      }
      case "getlastmodified" -> state.modified();
      case "getetag" -> isFile ? Markup.escape(state.tag()) : null;
      case "getcontentlength" -> isFile ? "" + state.version().size() : null;
      case "getcontenttype" -> isFile ? "application/octet-stream" : "httpd/unix-directory";
      case "supportedlock" -> "";
      default -> null;
    };
  }

  private static String decoded(String part) {
    try {
      RequestPath path = RequestPath.of("/" + part);
      return path.isRoot() ? "/" : path.last().toString();
    } catch (HttpRefusal e) {
      throw new IllegalStateException("an own URL", e);
    }
  }
}
