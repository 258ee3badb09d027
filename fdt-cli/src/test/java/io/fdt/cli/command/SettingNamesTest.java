package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.client.RemoteFiles;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.Setting;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.Preservation;
import io.fdt.server.FdtServerBuilder;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The settings that messages advise: each is there, in the library and in the command. */
class SettingNamesTest {
  private static final Map<String, Class<?>> CLASSES =
      Map.of(
          "FdtClient", FdtClient.Builder.class,
          "FdtServer", FdtServerBuilder.class,
          "Filters", Filters.class,
          "Logins", Logins.class,
          "FirstContact", ServerTrust.FirstContact.class,
          "Preservation", Preservation.class,
          "RemoteFiles", RemoteFiles.class,
          "ServerTrust", ServerTrust.class,
          "TransferRequest", TransferRequest.Builder.class);

  private static final Set<String> OPTIONS =
      Stream.of(CopyCommand.spec(), ServeCommand.spec())
          .flatMap(spec -> spec.optionsMap().keySet().stream())
          .collect(Collectors.toSet());

  private static final Set<Setting> ARE_COMMANDS = EnumSet.of(Setting.INPUT, Setting.LOGIN);

  @ParameterizedTest
  @EnumSource
  void theLibraryHasIt(Setting setting) {
    List<String> call = List.of(setting.toString().replaceFirst("\\(.*", "").split("\\."));

    Class<?> type = CLASSES.get(call.get(0));
    assertThat(Stream.concat(Arrays.stream(type.getMethods()), Arrays.stream(type.getFields())))
        .extracting(Member::getName)
        .contains(call.get(1));
  }

  @ParameterizedTest
  @EnumSource
  void theCommandHasIt(Setting setting) {
    List<String> options =
        Arrays.stream(setting.option().split(" ")).filter(word -> word.matches("-.+")).toList();

    assertThat(OPTIONS).containsAll(options);
    assertThat(options).hasSizeGreaterThanOrEqualTo(ARE_COMMANDS.contains(setting) ? 0 : 1);
  }
}
