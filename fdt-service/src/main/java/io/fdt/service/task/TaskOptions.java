package io.fdt.service.task;

import io.fdt.service.value.Fields;
import io.fdt.service.value.Json;
import io.fdt.service.value.ServiceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a task does its work, in the words of {@code fdt copy}. Immutable.
 *
 * @param recursive directories with their contents
 * @param sync what makes an existing file count as unchanged
 * @param delete whether names that the source lacks are removed
 * @param maxDelete the most that may be removed; -1 for any number
 * @param verify whether files are read back from the device
 * @param fsync whether files are forced to the device
 * @param checksum the digest of whole files
 * @param streams data connections, 1 to 128; 0 for the default
 * @param encrypt whether data is encrypted
 */
public record TaskOptions(
    boolean recursive,
    String sync,
    boolean delete,
    long maxDelete,
    boolean verify,
    boolean fsync,
    String checksum,
    int streams,
    boolean encrypt) {
  public static final List<String> SYNC_LEVELS = List.of("exists", "size", "mtime", "checksum");
  public static final List<String> CHECKSUMS =
      List.of("crc32c", "xxh3", "blake3", "sha256", "none");

  /** Reads the options of a request. */
  public static TaskOptions of(Fields fields) throws ServiceException {
    TaskOptions options =
        new TaskOptions(
            fields.flag("recursive"),
            fields.word("sync", SYNC_LEVELS, "mtime"),
            fields.flag("delete"),
            fields.number("max_delete", 0, Integer.MAX_VALUE, -1),
            fields.flag("verify"),
            fields.flag("fsync"),
            fields.word("checksum", CHECKSUMS, "crc32c"),
            (int) fields.number("streams", 1, 128, 0),
            fields.flag("encrypt"));
    fields.finish();
    return options;
  }

  /** Reads what {@link #toJson} wrote. */
  public static TaskOptions ofStored(String json) {
    try {
      return of(new Fields(Json.parseObject(json)));
    } catch (ServiceException e) {
      throw new IllegalStateException("the database holds bad options: " + e.getMessage(), e);
    }
  }

  /** The options that differ from the default ones. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("recursive", recursive);
    json.put("sync", sync);
    json.put("delete", delete);
    if (maxDelete >= 0) {
      json.put("max_delete", maxDelete);
    }
    json.put("verify", verify);
    json.put("fsync", fsync);
    json.put("checksum", checksum);
    if (streams > 0) {
      json.put("streams", (long) streams);
    }
    json.put("encrypt", encrypt);
    return json;
  }
}
