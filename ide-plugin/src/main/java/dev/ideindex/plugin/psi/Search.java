package dev.ideindex.plugin.psi;

import com.intellij.navigation.ChooseByNameContributor;
import com.intellij.navigation.ItemPresentation;
import com.intellij.navigation.NavigationItem;
import com.intellij.openapi.extensions.ExtensionPointName;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.project.IndexNotReadyException;
import com.intellij.openapi.project.Project;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operation {@code search}: declarations and files by name, as the IDE's own windows for it find them. */
final class Search {
    /** Names of one letter fit half a project: longer than this the list is not worth ranking. */
    private static final int MAX_PATTERN = 200;

    private record Name(String name, int degree, ChooseByNameContributor from) {}

    private Search() {}

    static Map<String, Object> run(Call call) throws Exception {
        String kind = call.arguments().text("kind", "symbol");
        ExtensionPointName<ChooseByNameContributor> point = switch (kind) {
            case "class" -> ChooseByNameContributor.CLASS_EP_NAME;
            case "symbol" -> ChooseByNameContributor.SYMBOL_EP_NAME;
            case "file" -> ChooseByNameContributor.FILE_EP_NAME;
            default -> throw new HostException(HostException.UNSUPPORTED, "there is no kind `" + kind + "`");
        };
        String pattern = call.arguments().text("pattern");
        if (pattern.length() > MAX_PATTERN) {
            throw new HostException(HostException.UNSUPPORTED, "the pattern is longer than " + MAX_PATTERN + " characters");
        }
        int limit = call.arguments().number("limit", 100);
        String language = call.arguments().text("language", null);
        return call.readIndexed(() -> find(call.project(), point, pattern, language, limit));
    }

    private static Map<String, Object> find(Project project, ExtensionPointName<ChooseByNameContributor> point, String pattern,
            String language, int limit) {
        Set<Object> symbols = new LinkedHashSet<>();
        Places places = new Places(Places.NO_CAP);
        for (Name name : names(project, point, new NameMatch(pattern))) {
            for (NavigationItem item : items(project, pattern, name)) {
                ProgressManager.checkCanceled();
                Map<String, Object> symbol = describe(item, places, language);
                if (symbol == null || symbols.contains(symbol)) {
                    continue;
                }
                if (symbols.size() >= limit) {
                    return Json.object("symbols", symbols, "cut", true);
                }
                symbols.add(symbol);
            }
        }
        return Json.object("symbols", symbols, "cut", false);
    }

    private static List<Name> names(Project project, ExtensionPointName<ChooseByNameContributor> point, NameMatch match) {
        List<Name> names = new ArrayList<>();
        for (ChooseByNameContributor contributor : point.getExtensions()) {
            Map<String, Integer> known = new HashMap<>();
            try {
                for (String name : contributor.getNames(project, false)) {
                    ProgressManager.checkCanceled();
                    int degree = name == null ? 0 : match.degree(name);
                    if (degree > 0 && known.put(name, degree) == null) {
                        names.add(new Name(name, degree, contributor));
                    }
                }
            } catch (IndexNotReadyException e) {
                throw e;
            }
        }
        names.sort(Comparator.comparingInt((Name name) -> -name.degree()).thenComparingInt(name -> name.name().length())
                .thenComparing(Name::name));
        return names;
    }

    private static NavigationItem[] items(Project project, String pattern, Name name) {
        NavigationItem[] items = name.from().getItemsByName(name.name(), pattern, project, false);
        return items == null ? new NavigationItem[0] : items;
    }

    private static Map<String, Object> describe(NavigationItem item, Places places, String language) {
        if (!(item instanceof PsiElement element) || !element.isValid()) {
            return null;
        }
        PsiElement shown = element.getNavigationElement();
        if (language != null && !language.equals(Languages.name(shown.getLanguage()))) {
            return null;
        }
        Map<String, Object> place = places.ofDeclaration(element);
        if (place == null || item.getName() == null) {
            return null;
        }
        ItemPresentation presentation = element instanceof PsiFile ? null : item.getPresentation();
        return Json.object("name", item.getName(), "container", presentation == null ? null : container(presentation), "place", place);
    }

    /** The IDE shows it in brackets. */
    private static String container(ItemPresentation presentation) {
        String shown = presentation.getLocationString();
        if (shown == null) {
            return null;
        }
        String bare = shown.startsWith("(") && shown.endsWith(")") ? shown.substring(1, shown.length() - 1) : shown;
        return bare.startsWith("in ") ? bare.substring(3) : bare;
    }
}
