package io.fdt.server.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.node.SessionWork;
import io.fdt.core.node.Stripe;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.stream.PartSource;
import io.fdt.core.storage.synthetic.EndlessSource;
import io.fdt.core.storage.synthetic.NullDestination;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of the exports of one client. Thread-safe.
 *
 * @param roots the exports of the client
 */
public record ExportTrees(ExportedStorage roots) implements SessionTrees {
  @Override
  public SessionWork work(
      SessionRequest wanted, boolean hearsState, OpenFileLimit openFiles, Stripe stripe) {
    return wanted.isPull()
        ? new SessionWork.Sends(
            source(wanted),
            wanted.tellsState(),
            wanted.detailed(),
            wanted.spec().sources().stream().allMatch(one -> roots.isStriped(one.path()))
                ? stripe
                : Stripe.NONE)
        : new SessionWork.Receives(
            destination(wanted, openFiles),
            hearsState,
            wanted.detailed(),
            roots.isStriped(wanted.spec().destination()) ? stripe : Stripe.NONE);
  }

  private SourceTree source(SessionRequest wanted) {
    if (wanted.isNettest()) {
      return new EndlessSource(FileName.of("nettest"));
    }
    SourceTree source = roots.source(wanted.spec());
    return wanted.inOrder() || !wanted.spec().part().isWhole()
        ? new PartSource(source, wanted.spec().part())
        : source;
  }

  private DestinationTree destination(SessionRequest wanted, OpenFileLimit openFiles) {
    if (wanted.isNettest()) {
      return new NullDestination();
    }
    return roots.destination(wanted.spec(), openFiles);
  }

  @Override
  public void check(SessionRequest wanted) throws FdtException {
    roots.check(wanted.spec(), !wanted.isPull());
  }

  @Override
  public String export(SessionRequest wanted) {
    if (wanted.isNettest()) {
      return "";
    }
    if (roots.names().isEmpty()) {
      return "/";
    }
    Stream<BytePath> paths =
        wanted.isPull()
            ? wanted.spec().sources().stream().map(Operand::path)
            : Stream.of(wanted.spec().destination());
    List<Optional<FileName>> exports = paths.map(roots::exportOf).distinct().limit(2).toList();
    return exports.size() == 1 ? exports.get(0).map(FileName::toString).orElse("") : "several";
  }
}
