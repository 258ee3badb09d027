package io.fdt.promise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * How the tests of one module are started: class path, arguments, properties and environment, as
 * Surefire has them from the poms.
 *
 * @param directory where they run
 * @param classPath what was built
 * @param arguments of the JVM
 * @param environment what is added to that of this process
 */
record TestJvm(
    Path directory, List<Path> classPath, List<String> arguments, Map<String, String> environment) {
  private static final Pattern PROPERTY = Pattern.compile("[$@]\\{([^}]+)}");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|\\S+");
  private static final Pattern NEWER_JDK = Pattern.compile("\\[(\\d+),\\)");

  static TestJvm of(Path root, String module) throws IOException {
    Path directory = root.resolve(module);
    Element parent = pom(root.resolve("pom.xml"));
    Element own = pom(directory.resolve("pom.xml"));
    Map<String, String> properties = new HashMap<>();
    properties.putAll(texts(child(parent, "properties")));
    properties.putAll(ofNewerJdk(parent));
    properties.putAll(texts(child(own, "properties")));
    properties.put("maven.multiModuleProjectDirectory", root.toString());
    properties.put("project.basedir", directory.toString());
    properties.put("project.build.directory", directory.resolve("target").toString());

    Optional<Element> management =
        child(parent, "build").flatMap(build -> child(build, "pluginManagement"));
    Optional<Element> usual = surefire(management);
    Optional<Element> special = surefire(child(own, "build"));
    String argLine =
        special
            .flatMap(configured -> child(configured, "argLine"))
            .or(() -> usual.flatMap(configured -> child(configured, "argLine")))
            .orElseThrow(() -> new IllegalStateException("no argLine in 'pom.xml'"))
            .getTextContent();
    List<String> arguments =
        new ArrayList<>(
            WORD.matcher(resolved(argLine, properties))
                .results()
                .map(word -> Optional.ofNullable(word.group(1)).orElse(word.group()))
                .toList());
    texts(special.flatMap(configured -> child(configured, "systemPropertyVariables")))
        .forEach((name, value) -> arguments.add("-D" + name + "=" + resolved(value, properties)));
    arguments.add("-Dbasedir=" + directory);
    Map<String, String> environment = new HashMap<>();
    texts(special.flatMap(configured -> child(configured, "environmentVariables")))
        .forEach((name, value) -> environment.put(name, resolved(value, properties)));
    return new TestJvm(directory, classPath(directory), arguments, environment);
  }

  private static List<Path> classPath(Path directory) throws IOException {
    Path listed = directory.resolve("target/test-classpath");
    if (!Files.exists(listed)) {
      throw new IllegalStateException("'" + listed + "' is not there: build first");
    }
    List<Path> classPath = new ArrayList<>();
    classPath.add(directory.resolve("target/test-classes"));
    classPath.add(directory.resolve("target/classes"));
    Stream.of(Files.readString(listed).strip().split(":")).map(Path::of).forEach(classPath::add);
    return classPath;
  }

  private static Element pom(Path file) throws IOException {
    try {
      Document document =
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
      return document.getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("cannot read '" + file + "'", e);
    }
  }

  /** Of the profile that a newer JDK activates. */
  private static Map<String, String> ofNewerJdk(Element parent) {
    Map<String, String> properties = new HashMap<>();
    for (Element profile : children(child(parent, "profiles"))) {
      Optional<MatchResult> range =
          child(profile, "activation")
              .flatMap(activation -> child(activation, "jdk"))
              .flatMap(jdk -> NEWER_JDK.matcher(jdk.getTextContent()).results().findFirst());
      if (range.isPresent()
          && Runtime.version().feature() >= Integer.parseInt(range.get().group(1))) {
        properties.putAll(texts(child(profile, "properties")));
      }
    }
    return properties;
  }

  private static Optional<Element> surefire(Optional<Element> build) {
    return children(build.flatMap(found -> child(found, "plugins"))).stream()
        .filter(
            plugin ->
                child(plugin, "artifactId")
                    .orElseThrow()
                    .getTextContent()
                    .equals("maven-surefire-plugin"))
        .findFirst()
        .flatMap(plugin -> child(plugin, "configuration"));
  }

  private static Map<String, String> texts(Optional<Element> of) {
    Map<String, String> texts = new HashMap<>();
    children(of).forEach(element -> texts.put(element.getTagName(), element.getTextContent()));
    return texts;
  }

  private static Optional<Element> child(Element of, String name) {
    return children(Optional.of(of)).stream()
        .filter(element -> element.getTagName().equals(name))
        .findFirst();
  }

  private static List<Element> children(Optional<Element> of) {
    List<Element> children = new ArrayList<>();
    if (of.isPresent()) {
      NodeList nodes = of.get().getChildNodes();
      for (int i = 0; i < nodes.getLength(); i++) {
        Node node = nodes.item(i);
        if (node instanceof Element element) {
          children.add(element);
        }
      }
    }
    return children;
  }

  private static String resolved(String text, Map<String, String> properties) {
    String resolved = text;
    for (int depth = 0; depth < 10 && PROPERTY.matcher(resolved).find(); depth++) {
      resolved =
          PROPERTY
              .matcher(resolved)
              .replaceAll(
                  property ->
                      Matcher.quoteReplacement(
                          Optional.ofNullable(properties.get(property.group(1)))
                              .orElseThrow(
                                  () ->
                                      new IllegalStateException(
                                          "no property " + property.group(1)))));
    }
    return resolved;
  }
}
