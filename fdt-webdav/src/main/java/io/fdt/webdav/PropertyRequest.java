package io.fdt.webdav;

import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The body of a PROPFIND. Immutable.
 *
 * <p>The parser knows no document types and no entities, so that no request grows in memory or
 * reads anything else.
 *
 * @param names the wanted properties; empty for all
 * @param namesOnly whether only their names are wanted
 */
record PropertyRequest(List<QName> names, boolean namesOnly) {
  static final String DAV = "DAV:";
  private static final int MOST_BYTES = 64 << 10;
  private static final int MOST_NAMES = 100;
  private static final int MOST_DEPTH = 16;

  PropertyRequest {
    names = List.copyOf(names);
  }

  /**
   * Reads the body of a request.
   *
   * @throws HttpRefusal 400 when it is no PROPFIND; 413 when it is too long
   */
  static PropertyRequest of(Exchange exchange)
      throws HttpRefusal, FdtException, InterruptedException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ByteBuf piece = exchange.read(); piece != null; piece = exchange.read()) {
      try {
        if (bytes.size() + piece.readableBytes() > MOST_BYTES) {
          throw new HttpRefusal(413, "the body has more than %d bytes".formatted(MOST_BYTES));
        }
        piece.readBytes(bytes, piece.readableBytes());
      } catch (IOException e) {
        throw new IllegalStateException("memory does not fail", e);
      } finally {
        piece.release();
      }
    }
    return bytes.size() == 0 ? new PropertyRequest(List.of(), false) : parse(bytes.toByteArray());
  }

  private static PropertyRequest parse(byte[] xml) throws HttpRefusal {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
    factory.setXMLResolver(
        (publicId, systemId, base, namespace) -> {
          throw new XMLStreamException("no entities");
        });
    try {
      return read(factory.createXMLStreamReader(new ByteArrayInputStream(xml)));
    } catch (XMLStreamException e) {
      throw new HttpRefusal(400, "the body is no XML of a PROPFIND");
    }
  }

  private static PropertyRequest read(XMLStreamReader reader)
      throws XMLStreamException, HttpRefusal {
    List<QName> names = new ArrayList<>();
    boolean namesOnly = false;
    boolean isAsked = false;
    int depth = 0;
    String second = "";
    while (reader.hasNext()) {
      switch (reader.next()) {
        case XMLStreamReader.START_ELEMENT -> {
          depth++;
          String name = reader.getLocalName();
          boolean isDav = DAV.equals(reader.getNamespaceURI());
          if (depth == 1 && !(isDav && name.equals("propfind"))) {
            throw new HttpRefusal(400, "the body is no propfind");
          }
          if (depth == 2) {
            second = isDav ? name : "";
            namesOnly |= second.equals("propname");
            isAsked |= namesOnly || second.equals("prop") || second.equals("allprop");
          }
          if (depth == 3 && second.equals("prop")) {
            names.add(reader.getName());
          }
          if (depth > MOST_DEPTH || names.size() > MOST_NAMES) {
            throw new HttpRefusal(413, "the body asks for too much; ask in pieces");
          }
        }
        case XMLStreamReader.END_ELEMENT -> depth--;
        case XMLStreamReader.DTD, XMLStreamReader.ENTITY_REFERENCE ->
            throw new HttpRefusal(400, "the body has a document type or an entity; send none");
        default -> {}
      }
    }
    if (!isAsked) {
      throw new HttpRefusal(400, "the body asks for nothing: prop, allprop or propname");
    }
    return new PropertyRequest(names, namesOnly);
  }
}
