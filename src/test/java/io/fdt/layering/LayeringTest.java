package io.fdt.layering;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may use whom, read from the bytecode of all modules. The rules are in {@link Layer} and
 * {@link Purity}.
 */
class LayeringTest {
  /** What only the engine brings together, of all packages of core. */
  private static final List<String> JOINED_BY_ENGINE =
      List.of("core.session", "core.storage", "core.transport");

  /** What may join them. */
  private static final List<String> JOINERS =
      List.of("core.engine", "core.stripe", "core.send", "core.receive", "core.node");

  /** What a byte passes, from disk to disk; how a connection comes about is another matter. */
  private static final List<String> DATA_PATH =
      List.of(
          "core.buffer",
          "core.digest",
          "core.journal",
          "core.session",
          "core.storage",
          "storage",
          "core.engine",
          "core.send",
          "core.receive");

  /** The packages of modules; each uses only those before it, and "" is the module's own. */
  private static final Map<String, List<String>> PACKAGES =
      Map.of(
          "cli",
          List.of(
              "process",
              "option.parse",
              "option.route",
              "option.access",
              "option.transfer",
              "output",
              "output.json",
              "output.text",
              "monitor",
              "ssh",
              "run",
              "run.copy",
              "run.watch",
              "run.serve",
              "run.compare",
              "run.host",
              "run.plan",
              "service",
              "command",
              ""),
          "server",
          List.of(
              "limits",
              "access",
              "session",
              "stripe",
              "thirdparty",
              "spool",
              "relay",
              "delivery",
              "connection",
              "web",
              "metrics",
              ""),
          "client",
          List.of("", "remote", "transfer", "directed", "entry"),
          "core.storage",
          List.of("name", "", "forward", "operand", "catalogue", "stream", "synthetic"),
          "storage",
          List.of(
              "posix",
              "portable",
              "local.os",
              "local.source",
              "local.destination.partial",
              "local.destination.replace",
              "local.destination",
              "local.export",
              "local",
              ""),
          "plan",
          List.of("", "work"),
          "udt",
          List.of("protocol.packet", "protocol.path", "protocol", "transport"),
          "nio",
          List.of("server", ""),
          "service",
          List.of(
              "value",
              "task",
              "mail",
              "store",
              "store.access",
              "oidc",
              "run",
              "web.http",
              "web.auth",
              "web.routes",
              "web",
              ""));

  /**
   * Classes of the client's API that do work; they come after the packages that do it. The other
   * types of the API, and public records and interfaces within these, are values and come before.
   */
  private static final Set<String> CLIENT_ENTRIES =
      Set.of(
          "AttachedTransfer",
          "ClientSettings",
          "Detachment",
          "FdtClient",
          "HandOver",
          "Logins",
          "RemoteFiles",
          "ServerTrust",
          "ServerUri",
          "SourceListing",
          "UdpCheck");

  /** The implementation of the transport; others see the interface. */
  private static final String TCP = "io.fdt.core.transport.tcp";

  private static final String UDP = "io.fdt.udt.transport";

  private static JavaClasses classes;

  @BeforeAll
  static void readBytecode() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.fdt");
  }

  @Test
  void everyClassIsInALayer() {
    assertThat(ours().filter(type -> layerOf(type).isEmpty()).map(JavaClass::getName)).isEmpty();
  }

  @Test
  void everyLayerHasClasses() {
    assertThat(Layer.ALL)
        .allSatisfy(
            layer -> assertThat(ours().anyMatch(type -> layer.holds(type.getName()))).isTrue());
  }

  @Test
  void layersUseOnlyLayersBelowThem() {
    Set<String> lower = new HashSet<>();
    for (Layer layer : Layer.ALL) {
      assertThat(lower).as("below %s", layer.name()).containsAll(layer.below());
      lower.add(layer.name());
    }
    assertThat(lower).containsAll(JOINED_BY_ENGINE);
  }

  @Test
  void classesUseOnlyWhatTheirLayerMay() {
    assertThat(
            ours()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> !isAllowed(dependency))
                .map(Dependency::getDescription))
        .isEmpty();
  }

  @Test
  void pureClassesTouchNoSocketNoFileNoClockAndNoThread() {
    assertThat(
            ours()
                .filter(type -> layerOf(type).map(Layer::pure).orElse(false))
                .flatMap(Purity::violations))
        .isEmpty();
  }

  @Test
  void withinCoreOnlyTheEngineJoinsSessionStorageAndTransport() {
    assertThat(
            ours()
                .filter(type -> type.getPackageName().startsWith("io.fdt.core."))
                .filter(type -> JOINERS.stream().noneMatch(name -> isIn(name, type)))
                .filter(
                    type -> JOINED_BY_ENGINE.stream().filter(name -> uses(type, name)).count() > 1)
                .map(JavaClass::getName))
        .isEmpty();
  }

  @Test
  void onlyTheNodeChoosesTcp() {
    assertThat(
            ours()
                .filter(type -> !type.getPackageName().startsWith(TCP) && !isIn("core.node", type))
                .filter(type -> !type.getPackageName().equals(UDP)) // it greets as TCP does
                .filter(type -> !isIn("webdav", type)) // HTTP is over TCP only
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> baseTarget(dependency).getPackageName().startsWith(TCP))
                .map(Dependency::getDescription))
        .isEmpty();
  }

  /** Whoever reads one of these files need not read another one to the end first. */
  @Test
  void noFilesOfTheDataPathUseEachOtherInACircle() {
    assertThat(
            Cycles.among(
                ours()
                    .filter(type -> DATA_PATH.stream().anyMatch(layer -> isIn(layer, type)))
                    .toList()))
        .isEmpty();
  }

  @Test
  void theCommandSeesOnlyPublicTypesOfClientAndServer() {
    assertThat(
            ours()
                .filter(type -> isIn("cli", type))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isHidden(baseTarget(dependency)))
                .map(Dependency::getDescription))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"cli", "server", "client", "core.storage", "storage", "plan", "nio", "service"})
  void noPackageUsesOneAboveItInItsModule(String module) {
    assertThat(
            ours()
                .filter(type -> isIn(module, type))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isIn(module, baseTarget(dependency)))
                .filter(
                    dependency ->
                        rank(module, dependency.getOriginClass())
                            < rank(module, baseTarget(dependency)))
                .map(Dependency::getDescription))
        .isEmpty();
  }

  /** The ends of a session do not know each other, and what they share knows neither. */
  @Test
  void noPackageOfCoreUsesOneAboveIt() {
    assertThat(arrows("core.session", "core.session.sender")).isEmpty();
    assertThat(arrows("core.session", "core.session.receiver")).isEmpty();
    assertThat(arrows("core.session.sender", "core.session.receiver")).isEmpty();
    assertThat(arrows("core.session.receiver", "core.session.sender")).isEmpty();
    assertThat(arrows("core.engine", "core.engine.meter")).isEmpty();
    assertThat(arrows("core.transport.tcp.socket", "core.transport.tcp")).isEmpty();
    assertThat(arrows("core.tuning.rate", "core.tuning")).isEmpty();
  }

  private static Stream<String> arrows(String from, String to) {
    return ours()
        .filter(type -> type.getPackageName().equals("io.fdt." + from))
        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .filter(dependency -> baseTarget(dependency).getPackageName().equals("io.fdt." + to))
        .map(Dependency::getDescription);
  }

  @Test
  void noFilesOfTheCommandUseEachOtherInACircle() {
    assertThat(Cycles.among(ours().filter(type -> isIn("cli", type)).toList())).isEmpty();
  }

  private static int rank(String module, JavaClass type) {
    String name = type.getPackageName().replaceFirst("^io\\.fdt\\." + module + "\\.?", "");
    boolean isValue =
        type.getModifiers().contains(JavaModifier.PUBLIC)
            && (type.isInterface() || type.isRecord());
    if (module.equals("client")
        && name.isEmpty()
        && !isValue
        && CLIENT_ENTRIES.contains(outermost(type))) {
      name = "entry";
    }
    assertThat(PACKAGES.get(module)).as("packages of %s", module).contains(name);
    return PACKAGES.get(module).indexOf(name);
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(LayeringTest::outermost).orElseGet(type::getSimpleName);
  }

  private static Stream<JavaClass> ours() {
    return classes.stream();
  }

  private static Optional<Layer> layerOf(JavaClass type) {
    return Layer.ALL.stream().filter(layer -> layer.holds(type.getName())).findFirst();
  }

  private static boolean isIn(String layer, JavaClass type) {
    return layerOf(type).filter(found -> found.name().equals(layer)).isPresent();
  }

  private static boolean uses(JavaClass type, String layer) {
    return isIn(layer, type)
        || type.getDirectDependenciesFromSelf().stream()
            .anyMatch(dependency -> isIn(layer, baseTarget(dependency)));
  }

  private static boolean isAllowed(Dependency dependency) {
    Optional<Layer> from = layerOf(dependency.getOriginClass());
    if (from.isEmpty()) {
      return false;
    }
    JavaClass target = baseTarget(dependency);
    String name = target.getName();
    if (target.isPrimitive() || name.startsWith("java.") || name.startsWith("javax.")) {
      return true;
    }
    if (name.startsWith("io.fdt.")) {
      return from.get().holds(name)
          || layerOf(target).filter(layer -> from.get().below().contains(layer.name())).isPresent();
    }
    return from.get().mayUseLibraryClass(name);
  }

  /** In a package beneath the client's or the server's own, or not public. */
  private static boolean isHidden(JavaClass type) {
    if (!isIn("client", type) && !isIn("server", type)) {
      return false;
    }
    return !Set.of("io.fdt.client", "io.fdt.server").contains(type.getPackageName())
        || !type.getModifiers().contains(JavaModifier.PUBLIC);
  }

  private static JavaClass baseTarget(Dependency dependency) {
    return dependency.getTargetClass().getBaseComponentType();
  }
}
