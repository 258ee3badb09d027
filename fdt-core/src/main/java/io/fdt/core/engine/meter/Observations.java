package io.fdt.core.engine.meter;

import static io.fdt.core.engine.meter.WireFigures.isWithin;
import static io.fdt.core.engine.meter.WireFigures.share;
import static io.fdt.core.engine.meter.WireFigures.thousandths;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.ReceiverState;
import io.fdt.core.wire.control.SenderState;
import java.util.List;
import java.util.Optional;

/** Encodes and decodes a sender's observations. */
public final class Observations {
  public static final int WHOLE = WireFigures.WHOLE;
  public static final int MOST_WAITING = 10_000;

  private static final int LONGEST_NAME = 15;

  private Observations() {}

  public static SenderState.Builder encode(Observation seen) {
    Sample sample = seen.sample();
    SenderState.Builder state =
        SenderState.newBuilder()
            .setMillis(Math.max(1, (int) (sample.seconds() * 1000)))
            .setBytes(sample.bytes())
            .setStreams(sample.streams())
            .setSegments(sample.segments())
            .setRetransmits(sample.retransmits())
            .setRoundTripMicros(sample.roundTripMicros())
            .setLeastRoundTripMicros(sample.leastRoundTripMicros())
            .setReceiveWindow(thousandths(sample.receiveWindowShare()))
            .setSendBuffer(thousandths(sample.sendBufferShare()))
            .setSenderFill(thousandths(sample.senderFill()))
            .setReceiverFill(Math.min(MOST_WAITING, (int) (sample.receiverFill() * WHOLE)))
            .setSourceBusy(thousandths(sample.sourceBusy()))
            .setDestinationBusy(thousandths(sample.destinationBusy()))
            .setSenderCpu(thousandths(sample.senderCpu()))
            .setReceiverCpu(thousandths(sample.receiverCpu()))
            .setOwnCpu(thousandths(sample.ownCpu()))
            .setRateLimited(sample.rateLimited())
            .setNamesKnown(sample.namesKnown())
            .setReaders(seen.readers())
            .setCongestion(seen.congestion())
            .setChange(MessageText.fit(seen.change()));
    seen.detail().ifPresent(detail -> state.setDetails(DetailCoding.encode(detail)));
    return state;
  }

  /**
   * Decodes an observation. The bottleneck is computed from the figures, not taken from the sender.
   *
   * @throws FdtException PROTOCOL for implausible values
   */
  public static Observation decode(SenderState state) throws FdtException {
    List<Integer> shares =
        List.of(
            state.getReceiveWindow(),
            state.getSendBuffer(),
            state.getSenderFill(),
            state.getSourceBusy(),
            state.getDestinationBusy(),
            state.getSenderCpu(),
            state.getReceiverCpu(),
            state.getOwnCpu());
    boolean possible =
        state.getMillis() > 0
            && isWithin(state.getBytes())
            && isWithin(state.getStreams(), TransferSpec.MAX_STREAMS)
            && isWithin(state.getReaders(), TransferSpec.MAX_THREADS_PER_DISK)
            && isWithin(state.getReceiverFill(), MOST_WAITING)
            && isWithin(state.getSegments())
            && isWithin(state.getRetransmits())
            && isWithin(state.getRoundTripMicros())
            && isWithin(state.getLeastRoundTripMicros())
            && state.getCongestion().length() <= LONGEST_NAME
            && shares.stream().allMatch(share -> isWithin(share, WHOLE));
    if (!possible) {
      throw new FdtException(ErrorCode.PROTOCOL, "an invalid state of a sender");
    }
    Sample sample =
        new Sample(
            state.getMillis() / 1000.0,
            state.getBytes(),
            state.getStreams(),
            state.getSegments(),
            state.getRetransmits(),
            state.getRoundTripMicros(),
            state.getLeastRoundTripMicros(),
            share(state.getReceiveWindow()),
            share(state.getSendBuffer()),
            share(state.getSenderFill()),
            share(state.getReceiverFill()),
            share(state.getSourceBusy()),
            share(state.getDestinationBusy()),
            share(state.getSenderCpu()),
            share(state.getReceiverCpu()),
            share(state.getOwnCpu()),
            state.getRateLimited(),
            state.getNamesKnown());
    return new Observation(
        sample,
        Bottleneck.of(sample),
        state.getReaders(),
        MessageText.received(state.getCongestion()),
        MessageText.received(state.getChange()),
        state.hasDetails()
            ? Optional.of(DetailCoding.decode(state.getDetails()))
            : Optional.empty());
  }

  /**
   * Checks the state of a receiver.
   *
   * @throws FdtException PROTOCOL for implausible values
   */
  public static void check(ReceiverState state) throws FdtException {
    if (Integer.compareUnsigned(state.getWaiting(), MOST_WAITING) > 0
        || Integer.compareUnsigned(state.getDiskBusy(), WHOLE) > 0
        || Integer.compareUnsigned(state.getCpu(), WHOLE) > 0
        || Integer.compareUnsigned(state.getOwnCpu(), WHOLE) > 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a receiver that is busy to %s, %s and %s thousandths"
              .formatted(
                  Integer.toUnsignedString(state.getWaiting()),
                  Integer.toUnsignedString(state.getDiskBusy()),
                  Integer.toUnsignedString(state.getCpu())));
    }
  }
}
