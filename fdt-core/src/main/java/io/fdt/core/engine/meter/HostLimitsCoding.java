package io.fdt.core.engine.meter;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.HostSetting;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Encodes and decodes the limits of a host in control messages. Stateless. */
public final class HostLimitsCoding {
  /** The most exports in one message. */
  public static final int MAX_EXPORTS = 1000;

  private static final int MAX_TEXT = 200;
  private static final int MAX_PROCESSORS = 1 << 20;

  /** The most settings in a message, more than this version knows; unknown ones are ignored. */
  private static final int MAX_SETTINGS = 64;

  private HostLimitsCoding() {}

  /** Encodes the limits of a server's host. */
  public static HostDescription.Builder encode(HostLimits limits) {
    HostDescription.Builder host =
        HostDescription.newBuilder()
            .setSystem(limits.system())
            .setProcessors(limits.processors())
            .setMemoryBytes(limits.memoryBytes())
            .setFreeBytes(limits.freeBytes())
            .setOpenFiles(limits.openFiles())
            .setJava(limits.program().java())
            .setProgramBytes(limits.program().memoryBytes())
            .setEpoll(limits.program().epoll())
            .setBoringSsl(limits.program().boringSsl());
    limits
        .settings()
        .forEach(
            (setting, value) ->
                host.addSettings(HostSetting.newBuilder().setKey(setting.key()).setValue(value)));
    return host;
  }

  /**
   * Decodes the limits of a server's host.
   *
   * @throws FdtException PROTOCOL for implausible values
   */
  public static HostLimits decode(HostDescription host) throws FdtException {
    check(host.getSystem().length() <= MAX_TEXT && host.getJava().length() <= MAX_TEXT, "name");
    check(host.getProcessors() >= 1 && host.getProcessors() <= MAX_PROCESSORS, "processors");
    check(
        host.getMemoryBytes() >= 0 && host.getFreeBytes() >= 0 && host.getProgramBytes() >= 0,
        "memory");
    check(host.getOpenFiles() >= 0, "limit of open files");
    check(host.getSettingsCount() <= MAX_SETTINGS, "number of settings");
    Map<KernelSetting, String> settings = new EnumMap<>(KernelSetting.class);
    for (HostSetting told : host.getSettingsList()) {
      Optional<KernelSetting> setting = KernelSetting.ofKey(told.getKey());
      if (setting.isPresent()) {
        Optional<String> value = setting.get().value(told.getValue());
        check(value.isPresent(), setting.get().key());
        settings.put(setting.get(), value.get());
      }
    }
    return new HostLimits(
        MessageText.received(host.getSystem()),
        host.getProcessors(),
        host.getMemoryBytes(),
        host.getFreeBytes(),
        host.getOpenFiles(),
        new HostLimits.Program(
            MessageText.received(host.getJava()),
            host.getProgramBytes(),
            host.getEpoll(),
            host.getBoringSsl()),
        settings);
  }

  private static void check(boolean good, String what) throws FdtException {
    if (!good) {
      throw new FdtException(ErrorCode.PROTOCOL, "a host with an impossible " + what);
    }
  }
}
