package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The addresses that may connect, from a file: one address, range or host name a line; # starts a
 * comment. Immutable.
 *
 * <p>Invalid lines and names that cannot be resolved are ignored and listed in {@link #flaws}.
 */
public final class AddressList {
  private final List<AddressRange> ranges = new ArrayList<>();
  private final List<String> flaws = new ArrayList<>();

  private AddressList() {}

  /**
   * Reads a list; resolves its names.
   *
   * @throws FdtException USAGE when there is no such file
   */
  public static AddressList read(Path file) throws FdtException {
    String text;
    try {
      text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot read the list of addresses '" + file + "': " + HomeDirectory.reason(e),
          e);
    }
    AddressList list = new AddressList();
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String entry = line.replaceFirst("#.*", "").strip();
      if (!entry.isEmpty()) {
        list.add(entry, file + " line " + number);
      }
    }
    return list;
  }

  private void add(String entry, String where) {
    if (entry.indexOf('/') >= 0 || entry.indexOf(':') >= 0 || entry.matches("[0-9.]+")) {
      try {
        ranges.add(AddressRange.parse(entry));
      } catch (IllegalArgumentException e) {
        flaws.add(where + ": " + e.getMessage() + ": entry ignored");
      }
      return;
    }
    try {
      for (InetAddress address : InetAddress.getAllByName(entry)) {
        ranges.add(AddressRange.of(address));
      }
    } catch (UnknownHostException e) {
      flaws.add(where + ": the name '" + entry + "' cannot be resolved: entry ignored");
    }
  }

  public boolean contains(InetAddress address) {
    return ranges.stream().anyMatch(range -> range.contains(address));
  }

  /** Descriptions of invalid lines. */
  public List<String> flaws() {
    return List.copyOf(flaws);
  }
}
