package io.fdt.wan;

import io.fdt.compare.Dataset;
import io.fdt.compare.OwnServer.Place;
import io.fdt.compare.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Creates the path of a {@link Cell}, runs its transfers, and returns the result. */
final class Measurement {
  private static final List<String> ONE_CPU = List.of("taskset", "-c", "0");

  private final Emulator emulator;
  private final Path jar;
  private final Path directory;
  private final Supplier<Run.Setting> setting;

  Measurement(Emulator emulator, Path jar, Path directory, Supplier<Run.Setting> setting) {
    this.emulator = emulator;
    this.jar = jar;
    this.directory = directory;
    this.setting = setting;
  }

  /**
   * Runs a cell.
   *
   * @param slot number of the path, unique among existing paths
   */
  Run run(Cell cell, int slot) throws InterruptedException {
    Path work = directory.resolve("work" + slot);
    List<Run.Transfer> transfers = new ArrayList<>();
    String problem = null;
    try (Emulator.Hosts hosts = emulator.up("fdt" + slot, cell.link())) {
      LiveTransfer.Way way = way(cell, hosts, work);
      try (LiveTransfer transfer = new LiveTransfer(jar, way, work, cell.streams())) {
        if (cell.seconds() == 0) {
          transfers.add(transfer.end());
        } else {
          meanwhile(cell, hosts, way, work.resolveSibling("other" + slot), transfer, transfers);
        }
      }
    } catch (IOException e) {
      problem = e.getMessage();
      transfers.clear();
    }
    return new Run(cell, transfers, problem, setting.get());
  }

  /** Acts during a transfer of limited time. */
  private void meanwhile(
      Cell cell,
      Emulator.Hosts hosts,
      LiveTransfer.Way way,
      Path otherWork,
      LiveTransfer transfer,
      List<Run.Transfer> transfers)
      throws IOException, InterruptedException {
    double third = cell.seconds() / 3.0;
    switch (cell.variant()) {
      case Experiments.RATE -> {
        transfer.await(third);
        hosts.change(cell.link().withRate(cell.link().megabitsPerSecond() / 3));
        transfer.await(2 * third);
        hosts.change(cell.link());
      }
      case Experiments.COMPETITOR -> {
        transfer.await(third);
        transfers.addAll(other(way, otherWork, transfer, "4", 2 * third));
      }
      case Experiments.FAIR ->
          transfers.addAll(other(way, otherWork, transfer, cell.streams(), cell.seconds()));
      default -> {
        // no other transfer
      }
    }
    transfer.await(cell.seconds());
    transfers.add(0, transfer.cut());
  }

  /** Runs another transfer on the same path, until the first has run for a time. */
  private List<Run.Transfer> other(
      LiveTransfer.Way way, Path work, LiveTransfer first, String streams, double untilSeconds)
      throws IOException, InterruptedException {
    LiveTransfer.Way same =
        new LiveTransfer.Way(
            way.from(), way.to(), way.source(), work.resolve("arrived"), way.options());
    try (LiveTransfer other = new LiveTransfer(jar, same, work, streams)) {
      first.await(untilSeconds);
      return List.of(other.cut());
    }
  }

  private LiveTransfer.Way way(Cell cell, Emulator.Hosts hosts, Path work)
      throws IOException, InterruptedException {
    Place from = hosts.source();
    Place to = hosts.destination();
    Path source = null;
    Path destination = work.resolve("arrived");
    switch (cell.variant()) {
      case Experiments.SLOW_SOURCE -> {
        from = slowly(from);
        source = source(cell, slowDisk());
        forget(source);
      }
      case Experiments.SLOW_DESTINATION -> {
        to = slowly(to);
        destination = slowDisk().resolve("arrived");
      }
      case Experiments.ONE_CPU -> {
        from = behind(from, ONE_CPU);
        to = behind(to, ONE_CPU);
      }
      default -> {
        // no disk limit
      }
    }
    if (source == null) {
      source = source(cell, directory);
    }
    return new LiveTransfer.Way(from, to, source, destination, hosts.options());
  }

  private static Path slowDisk() throws IOException {
    String disk = System.getenv("FDT_SLOW_DISK");
    if (disk == null) {
      throw new IOException(
          "FDT_SLOW_DISK does not name a directory on a disk of at most 60 MB/s (FDT_SLOW_RUN may"
              + " hold the command that makes it slow for what it runs)");
    }
    return Path.of(disk);
  }

  private static Place slowly(Place place) {
    String run = System.getenv("FDT_SLOW_RUN");
    return run == null ? place : behind(place, List.of(run.strip().split("\\s+")));
  }

  private static Place behind(Place place, List<String> more) {
    List<String> prefix = new ArrayList<>(more);
    prefix.addAll(place.prefix());
    return new Place(prefix, place.address());
  }

  /** Flushes a file to the disk, and drops it from the page cache. */
  private static void forget(Path source) throws IOException, InterruptedException {
    Path file = source.resolve("file");
    Emulator.call(Map.of(), List.of("sync", file.toString()));
    Emulator.call(Map.of(), List.of("dd", "if=" + file, "iflag=nocache", "count=0"));
  }

  /** The data of a cell, which is created on first use. */
  private synchronized Path source(Cell cell, Path where) throws IOException {
    Path sources = Files.createDirectories(where.resolve("source"));
    return cell.files() == 1
        ? Dataset.oneFile("wan-" + cell.bytes(), cell.bytes()).in(sources)
        : Dataset.small("wan-small-" + cell.files(), cell.files() / 100, 100).in(sources);
  }

  /** Removes all data. */
  void clean() throws IOException {
    Trees.delete(directory);
    String slow = System.getenv("FDT_SLOW_DISK");
    if (slow != null) {
      Trees.delete(Path.of(slow, "source"));
    }
  }
}
