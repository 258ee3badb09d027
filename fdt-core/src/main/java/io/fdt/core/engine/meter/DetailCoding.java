package io.fdt.core.engine.meter;

import static io.fdt.core.engine.meter.WireFigures.isWithin;
import static io.fdt.core.engine.meter.WireFigures.share;
import static io.fdt.core.engine.meter.WireFigures.thousandths;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.StreamState;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.DiskDetails;
import io.fdt.core.wire.control.EndDetails;
import io.fdt.core.wire.control.SessionDetails;
import io.fdt.core.wire.control.StreamDetails;
import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes the details for a monitor. Stateless. */
public final class DetailCoding {
  /** A plausible maximum: the memory for blocks bounds the work that waits for a disk. */
  private static final int MOST_WAITING = 1 << 30;

  private static final int LONGEST_NAME = 64;

  private DetailCoding() {}

  static SessionDetails encode(Detail detail) {
    SessionDetails.Builder all =
        SessionDetails.newBuilder()
            .setSender(encode(detail.sender()))
            .setBlocks(detail.blocks())
            .setBlocksRepeated(detail.blocksRepeated())
            .setOpenStreams(detail.openStreams());
    if (detail.receiver().isKnown()) {
      all.setReceiver(encode(detail.receiver()));
    }
    for (StreamState stream : detail.streams()) {
      all.addStreams(
          StreamDetails.newBuilder()
              .setNumber(stream.number())
              .setParked(stream.parked())
              .setBytes(stream.bytes())
              .setRoundTripMicros(stream.roundTripMicros())
              .setLeastRoundTripMicros(stream.leastRoundTripMicros())
              .setSegments(stream.segments())
              .setRetransmits(stream.retransmits())
              .setWindowBytes(stream.windowBytes())
              .setQueuedBytes(stream.queuedBytes()));
    }
    return all.build();
  }

  /** Encodes the details of one end. */
  public static EndDetails encode(EndState end) {
    EndDetails.Builder details =
        EndDetails.newBuilder()
            .setCpu(thousandths(end.cpu()))
            .setOwnCpu(thousandths(end.ownCpu()))
            .setProcessBytes(end.processBytes())
            .setHostBytes(end.hostBytes())
            .setHostFreeBytes(end.hostFreeBytes())
            .setWaitingBytes(end.waitingBytes())
            .setBudgetBytes(end.budgetBytes());
    for (DiskState disk : end.disks()) {
      details.addDisks(
          DiskDetails.newBuilder()
              .setName(disk.name())
              .setBusy(thousandths(disk.busy()))
              .setWaiting(disk.waiting())
              .setThreads(disk.threads()));
    }
    return details.build();
  }

  /**
   * The details of a sender.
   *
   * @throws FdtException PROTOCOL for implausible values
   */
  static Detail decode(SessionDetails all) throws FdtException {
    check(
        isWithin(all.getBlocks())
            && isWithin(all.getBlocksRepeated())
            && isWithin(all.getOpenStreams(), TransferSpec.MAX_STREAMS)
            && all.getStreamsCount() <= Detail.MOST_STREAMS);
    List<StreamState> streams = new ArrayList<>();
    for (StreamDetails one : all.getStreamsList()) {
      check(
          one.getNumber() >= 0
              && isWithin(one.getBytes())
              && isWithin(one.getRoundTripMicros())
              && isWithin(one.getLeastRoundTripMicros())
              && isWithin(one.getSegments())
              && isWithin(one.getRetransmits())
              && isWithin(one.getWindowBytes())
              && isWithin(one.getQueuedBytes()));
      streams.add(
          new StreamState(
              one.getNumber(),
              one.getParked(),
              one.getBytes(),
              one.getRoundTripMicros(),
              one.getLeastRoundTripMicros(),
              one.getSegments(),
              one.getRetransmits(),
              one.getWindowBytes(),
              one.getQueuedBytes()));
    }
    return new Detail(
        decode(all.getSender()),
        all.hasReceiver() ? decode(all.getReceiver()) : EndState.UNKNOWN,
        all.getBlocks(),
        all.getBlocksRepeated(),
        all.getOpenStreams(),
        streams);
  }

  /**
   * The details of one end.
   *
   * @throws FdtException PROTOCOL for implausible values
   */
  public static EndState decode(EndDetails end) throws FdtException {
    check(
        isWithin(end.getCpu(), WireFigures.WHOLE)
            && isWithin(end.getOwnCpu(), WireFigures.WHOLE)
            && isWithin(end.getProcessBytes())
            && isWithin(end.getHostBytes())
            && isWithin(end.getHostFreeBytes())
            && isWithin(end.getWaitingBytes())
            && isWithin(end.getBudgetBytes())
            && end.getDisksCount() <= EndState.MOST_DISKS);
    List<DiskState> disks = new ArrayList<>();
    for (DiskDetails disk : end.getDisksList()) {
      check(
          disk.getName().length() <= LONGEST_NAME
              && isWithin(disk.getBusy(), WireFigures.WHOLE)
              && isWithin(disk.getWaiting(), MOST_WAITING)
              && isWithin(disk.getThreads(), MOST_WAITING));
      disks.add(
          new DiskState(
              MessageText.received(disk.getName()),
              share(disk.getBusy()),
              disk.getWaiting(),
              disk.getThreads()));
    }
    return new EndState(
        share(end.getCpu()),
        share(end.getOwnCpu()),
        end.getProcessBytes(),
        end.getHostBytes(),
        end.getHostFreeBytes(),
        end.getWaitingBytes(),
        end.getBudgetBytes(),
        disks);
  }

  private static void check(boolean isPossible) throws FdtException {
    if (!isPossible) {
      throw new FdtException(ErrorCode.PROTOCOL, "invalid details of a session");
    }
  }
}
