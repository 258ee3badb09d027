package io.fdt.plan;

import io.fdt.client.SourceListing;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathText;
import io.fdt.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The files of one unit, as text.
 *
 * <pre>
 *   {"source":"/data/a","arrival":"a","files":[["name",4096],["other",0]]}
 *   {"path":"/data/x","arrival":"x","size":1}
 *   {"path":"/data/y","arrival":"y","size":9,"range_bytes":4,"range":2}       the last byte of y
 *   {"path":"/data/y","arrival":"y","size":9,"ranges":3}      all of y, after the 3 units before it
 *   {"unit":17,"files":3,"bytes":4097,"crc32c":"9ab0c1d2"}      over all bytes before this line
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class UnitText {
  /** The field with the number of range units, also in the index. */
  static final String RANGES = "ranges";

  private static final String RANGE_BYTES = "range_bytes";
  private static final String RANGE = "range";

  private final ByteArrayOutputStream text = new ByteArrayOutputStream(1 << 14);
  private SourceListing.Directory directory;
  private List<Object> names = new ArrayList<>();
  private int files;
  private long bytes;
  private long pathBytes;

  /**
   * The decoded content of a unit.
   *
   * @param part of its only file; {@link FilePart#WHOLE} unless it is a range
   */
  record Content(List<Operand> operands, FilePart part, long bytes) {}

  int files() {
    return files;
  }

  long bytes() {
    return bytes;
  }

  /** Whether there is room for one more file. */
  boolean hasRoom(long size, int pathLength, UnitLimits limits) {
    return files == 0
        || (files < limits.files()
            && bytes <= limits.bytes() - size
            && pathBytes + pathLength <= UnitLimits.MAX_PATH_BYTES);
  }

  /** Bytes that the paths of a file take in a request. */
  static int pathLength(SourceListing.Directory in, FileName name) {
    return in.source().length() + in.arrival().length() + 2 * (name.bytes().length + 1) + 8;
  }

  /** The same for an operand. */
  static int pathLength(Operand operand) {
    return operand.path().length() + operand.target().map(BytePath::length).orElse(0) + 8;
  }

  void add(SourceListing.Directory in, FileName name, long size) {
    if (!in.equals(directory)) {
      endDirectory();
      directory = in;
    }
    names.add(List.of(PathText.escape(name.bytes()), size));
    count(size, pathLength(in, name));
  }

  void add(Operand operand, long size) {
    endDirectory();
    append(line(operand, size));
    count(size, pathLength(operand));
  }

  private static Map<String, Object> line(Operand operand, long size) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("path", operand.path().toString());
    operand.target().ifPresent(target -> line.put("arrival", target.toString()));
    line.put("size", size);
    return line;
  }

  void addRange(Operand operand, FileCut cut, int index) {
    Map<String, Object> line = line(operand, cut.fileSize());
    line.put(RANGE_BYTES, cut.rangeBytes());
    line.put(RANGE, index);
    append(line);
    count(cut.range(index).length(), pathLength(operand));
  }

  /** Adds a whole file whose ranges are in the units before this one. */
  void addWhole(Operand operand, FileCut cut) {
    Map<String, Object> line = line(operand, cut.fileSize());
    line.put(RANGES, cut.count());
    append(line);
    count(0, pathLength(operand));
  }

  private void count(long size, int pathLength) {
    files++;
    bytes += size;
    pathBytes += pathLength;
  }

  private void endDirectory() {
    if (!names.isEmpty()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("source", directory.source().toString());
      line.put("arrival", directory.arrival().toString());
      line.put("files", names);
      append(line);
      names = new ArrayList<>();
    }
    directory = null;
  }

  private void append(Map<String, ?> line) {
    text.writeBytes((Json.text(line) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The whole text. Called once. */
  byte[] end(int number) {
    endDirectory();
    String sum = checksum(text.toByteArray(), text.size());
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("unit", number);
    line.put("files", files);
    line.put("bytes", bytes);
    line.put("crc32c", sum);
    append(line);
    return text.toByteArray();
  }

  /** The CRC32C of the first bytes, as hexadecimal digits. */
  static String checksum(byte[] text, int length) {
    CRC32C crc = new CRC32C();
    crc.update(text, 0, length);
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  /**
   * The files of a text.
   *
   * @throws FdtException IO when the text is damaged
   */
  static Content read(int number, byte[] text, String where) throws FdtException {
    int end = lastLine(text);
    if (end < 0) {
      throw PlanLine.damaged(where, "its last line is missing", null);
    }
    Map<String, Object> last = PlanLine.parse(utf8(text, end, text.length), where);
    if (!checksum(text, end).equals(PlanLine.text(last, "crc32c", where))
        || PlanLine.number(last, "unit", where) != number) {
      throw PlanLine.damaged(where, "its checksum differs", null);
    }
    List<Operand> operands = new ArrayList<>();
    FilePart part = FilePart.WHOLE;
    for (String line : utf8(text, 0, end).split("\n")) {
      if (!line.isEmpty()) {
        Map<String, Object> object = PlanLine.parse(line, where);
        read(object, operands, where);
        part = object.containsKey(RANGE) ? part(object, where) : part;
      }
    }
    if (operands.size() != PlanLine.number(last, "files", where)) {
      throw PlanLine.damaged(where, "files are missing", null);
    }
    return new Content(List.copyOf(operands), part, PlanLine.number(last, "bytes", where));
  }

  private static FilePart part(Map<String, Object> line, String where) throws FdtException {
    try {
      return new FileCut(
              PlanLine.number(line, "size", where), PlanLine.number(line, RANGE_BYTES, where))
          .part(Math.toIntExact(PlanLine.number(line, RANGE, where)));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw PlanLine.damaged(where, "an invalid range", e);
    }
  }

  /** The start of the last line; -1 if it is not terminated. */
  private static int lastLine(byte[] text) {
    if (text.length == 0 || text[text.length - 1] != '\n') {
      return -1;
    }
    int start = text.length - 1;
    while (start > 0 && text[start - 1] != '\n') {
      start--;
    }
    return start;
  }

  private static String utf8(byte[] text, int start, int end) {
    return new String(text, start, end - start, StandardCharsets.UTF_8);
  }

  private static void read(Map<String, Object> line, List<Operand> operands, String where)
      throws FdtException {
    if (line.containsKey("path")) {
      BytePath path = path(line, "path", where);
      operands.add(
          line.containsKey("arrival")
              ? new Operand(path, Optional.of(path(line, "arrival", where)))
              : Operand.of(path));
      return;
    }
    SourceListing.Directory directory =
        new SourceListing.Directory(path(line, "source", where), path(line, "arrival", where));
    if (!(line.get("files") instanceof List<?> files)) {
      throw PlanLine.damaged(where, "'files' is missing", null);
    }
    for (Object file : files) {
      if (!(file instanceof List<?> pair && pair.size() == 2 && pair.get(0) instanceof String)) {
        throw PlanLine.damaged(where, "a file without a name", null);
      }
      BytePath name = BytePath.of(PathText.unescape((String) ((List<?>) file).get(0)));
      operands.add(
          new Operand(
              directory.source().resolve(name), Optional.of(directory.arrival().resolve(name))));
    }
  }

  private static BytePath path(Map<String, Object> line, String name, String where)
      throws FdtException {
    return BytePath.of(PathText.unescape(PlanLine.text(line, name, where)));
  }
}
