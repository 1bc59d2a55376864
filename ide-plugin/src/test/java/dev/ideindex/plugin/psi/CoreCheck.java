package dev.ideindex.plugin.psi;

import static dev.ideindex.plugin.asking.Checks.equal;
import static dev.ideindex.plugin.asking.Checks.same;
import static dev.ideindex.plugin.asking.Checks.that;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.progress.EmptyProgressIndicator;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Computable;
import com.intellij.openapi.util.Disposer;
import com.intellij.psi.PsiFile;
import dev.ideindex.plugin.asking.Asker;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.platform.Platform;
import dev.ideindex.plugin.spi.Arguments;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import kotlin.Unit;
import kotlin.jvm.functions.Function1;
import org.jetbrains.kotlin.analysis.api.projectStructure.KaModule;
import org.jetbrains.kotlin.analysis.api.standalone.StandaloneAnalysisAPISessionBuilder;
import org.jetbrains.kotlin.analysis.api.standalone.StandaloneAnalysisAPISessionBuilderKt;
import org.jetbrains.kotlin.analysis.project.structure.builder.KtModuleProviderBuilder;
import org.jetbrains.kotlin.analysis.project.structure.builder.KtSdkModuleBuilder;
import org.jetbrains.kotlin.analysis.project.structure.builder.KtSourceModuleBuilder;
import org.jetbrains.kotlin.platform.TargetPlatform;
import org.jetbrains.kotlin.platform.jvm.JvmPlatforms;

/**
 * The operations that need no index, on the recent core of the platform that Kotlin's analysis brings: Java and Kotlin, by the
 * classes that the plugin ships. {@code CoreCheck PROJECT JDK_HOME}.
 */
public final class CoreCheck {
    private final Project project;
    private final Asker asker;
    private final Checks checks = new Checks();

    private CoreCheck(Project project, Path root) {
        this.project = project;
        this.asker = new Asker(this::call, root);
    }

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        Project project = open(root.resolve("src"), Path.of(arguments[1]));
        CoreCheck check = new CoreCheck(project, root);
        check.java();
        check.kotlin();
        System.exit(check.checks.verdict());
    }

    private static Project open(Path sources, Path jdk) {
        Function1<StandaloneAnalysisAPISessionBuilder, Unit> session = builder -> {
            builder.buildKtModuleProvider(modules -> {
                TargetPlatform jvm = JvmPlatforms.INSTANCE.getDefaultJvmPlatform();
                modules.setPlatform(jvm);
                modules.addModule(source(modules, sources, sdk(modules, jdk, jvm), jvm));
                return Unit.INSTANCE;
            });
            return Unit.INSTANCE;
        };
        return StandaloneAnalysisAPISessionBuilderKt
                .buildStandaloneAnalysisAPISession(Disposer.newDisposable(), false, session).getProject();
    }

    private static KaModule sdk(KtModuleProviderBuilder modules, Path jdk, TargetPlatform jvm) {
        KtSdkModuleBuilder sdk = new KtSdkModuleBuilder(modules.getCoreApplicationEnvironment(), modules.getProject());
        sdk.setPlatform(jvm);
        sdk.setLibraryName("jdk");
        sdk.addBinaryRootsFromJdkHome(jdk, false);
        return sdk.build();
    }

    private static KaModule source(KtModuleProviderBuilder modules, Path sources, KaModule sdk, TargetPlatform jvm) {
        KtSourceModuleBuilder source = new KtSourceModuleBuilder(modules.getCoreApplicationEnvironment(), modules.getProject());
        source.setPlatform(jvm);
        source.setModuleName("shop");
        source.addSourceRoot(sources);
        source.addRegularDependency(sdk);
        return source.build();
    }

    /** Read actions of this core lock nothing, and nothing in it ever writes. */
    private static final class Core implements Platform {
        @Override
        public <T> T read(Project project, ProgressIndicator indicator, Callable<T> body) throws Exception {
            Exception[] failure = new Exception[1];
            T value = com.intellij.openapi.application.ApplicationManager.getApplication().runReadAction((Computable<T>) () -> {
                try {
                    return body.call();
                } catch (Exception e) {
                    failure[0] = e;
                    return null;
                }
            });
            if (failure[0] != null) {
                throw failure[0];
            }
            return value;
        }

        @Override
        public List<Problem> problems(PsiFile file, Document document, ProgressIndicator indicator) {
            throw new UnsupportedOperationException("this core finds no problems");
        }
    }

    private byte[] call(long id, String op, byte[] arguments) throws HostException {
        Call call = new Call(new Core(), Arguments.parse(arguments), new EmptyProgressIndicator(), project);
        try {
            Map<String, Object> answer = switch (op) {
                case "places" -> Relations.run(call);
                case "describe" -> Descriptions.describe(call);
                default -> throw new HostException(HostException.UNSUPPORTED, op);
            };
            return Json.bytes(answer);
        } catch (HostException e) {
            throw e;
        } catch (Exception e) {
            throw new HostException(HostException.INTERNAL, e.toString(), e);
        }
    }

    private void java() {
        checks.check("Java: definition of a method", () -> same(List.of("Shape.java:6:12"),
                asker.related("definition", "Till.java", "shape.|area")));
        checks.check("Java: definition of a constructor", () -> same(List.of("Square.java:9:12"),
                asker.related("definition", "Square.java", "new |Square(1)")));
        checks.check("Java: definition in the JDK", () -> {
            TreeSet<String> places = asker.related("definition", "Square.java", "static |List<");
            that(places.size() == 1 && places.first().startsWith("List.class"), places.toString());
        });
        checks.check("Java: supertypes", () -> same(List.of("Square.java:6:14"),
                asker.related("supertypes", "Tile.java", "class |Tile")));
        checks.check("Java: super methods", () -> same(List.of("Square.java:14:19"),
                asker.related("superMethods", "Tile.java", "double |area")));
        checks.check("Java: documentation", () -> {
            String text = asker.at("describe", "Till.java", "shape.|area").get("markdown").toString();
            that(text.contains("double area()") && text.contains("The area in square units."), text);
        });
        checks.check("Java: an unresolved name", () -> equal("no_symbol",
                asker.error("places", asker.arguments("Till.java", "|missing()", "relation", "definition"))));
    }

    private void kotlin() {
        checks.check("Kotlin: definition of a local", () -> same(List.of("Ring.kt:6:13"),
                asker.related("definition", "Ring.kt", "return |whole")));
        checks.check("Kotlin: definition of a method of Java", () -> same(List.of("Square.java:14:19"),
                asker.related("definition", "Ring.kt", "super.|area")));
        checks.check("Kotlin: definition of a type", () -> same(List.of("Ring.kt:4:7"),
                asker.related("definition", "Ring.kt", "twice(): |Ring")));
        checks.check("Kotlin: supertypes", () -> same(List.of("Square.java:6:14"),
                asker.related("supertypes", "Ring.kt", "class |Ring")));
        checks.check("Kotlin: super methods", () -> same(List.of("Square.java:14:19"),
                asker.related("superMethods", "Ring.kt", "fun |area")));
    }
}
