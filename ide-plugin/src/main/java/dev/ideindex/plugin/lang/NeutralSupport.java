package dev.ideindex.plugin.lang;

import com.intellij.lang.LanguageDocumentation;
import com.intellij.lang.documentation.DocumentationProvider;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNameIdentifierOwner;
import com.intellij.psi.PsiReference;
import com.intellij.psi.search.GlobalSearchScope;
import com.intellij.psi.search.SearchScope;
import com.intellij.psi.search.searches.DefinitionsScopedSearch;
import com.intellij.psi.search.searches.ReferencesSearch;
import com.intellij.util.Processor;
import dev.ideindex.plugin.spi.HostException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the platform knows of every language. Supports of one language override what that language's plugin knows better. */
public class NeutralSupport implements LanguageSupport {
    /** A part of the name of an element's class, and the kind of declaration that it tells; the first that fits. */
    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        String[] rows = {"constructor constructor", "property property", "method method", "function function", "interface interface",
            "trait trait", "enumentry enum_member", "enum enum", "struct struct", "object object", "class class", "typealias type_alias",
            "typespec type", "parameter parameter", "field field", "const constant", "variable variable", "package package",
            "module module", "namespace namespace"};
        for (String row : rows) {
            String[] words = row.split(" ");
            KINDS.put(words[0], words[1]);
        }
    }

    @Override
    public PsiElement meant(PsiReference reference, PsiElement leaf, PsiElement target) {
        return target;
    }

    @Override
    public PsiElement atKeyword(PsiElement leaf) {
        return null;
    }

    @Override
    public boolean references(PsiElement target, SearchScope scope, Processor<? super PsiReference> found) throws HostException {
        return ReferencesSearch.search(target, scope, false).forEach(found::process);
    }

    @Override
    public boolean implementations(PsiElement target, SearchScope scope, Processor<? super PsiElement> found)
            throws HostException {
        return DefinitionsScopedSearch.search(target, scope).forEach(found::process);
    }

    @Override
    public boolean subtypes(PsiElement type, SearchScope scope, Processor<? super PsiElement> found) throws HostException {
        throw unsupported("direct subtypes", type);
    }

    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        throw unsupported("supertypes", type);
    }

    @Override
    public Collection<PsiElement> superMethods(PsiElement method) throws HostException {
        throw unsupported("overridden methods", method);
    }

    @Override
    public boolean isCallable(PsiElement element) {
        String kind = kind(element);
        return kind.equals("function") || kind.equals("method") || kind.equals("constructor");
    }

    @Override
    public boolean isCall(PsiReference reference) {
        return true;
    }

    @Override
    public PsiElement enclosing(PsiElement element) {
        PsiElement otherwise = null;
        for (PsiElement at = element.getParent(); at != null && !(at instanceof PsiFile); at = at.getParent()) {
            if (isCallable(at)) {
                return at;
            }
            if (otherwise == null && at instanceof PsiNameIdentifierOwner && !kind(at).equals("variable")) {
                otherwise = at;
            }
        }
        return otherwise;
    }

    @Override
    public String documentation(PsiElement declaration, PsiElement original) {
        DocumentationProvider provider = LanguageDocumentation.INSTANCE.forLanguage(declaration.getLanguage());
        String signature = provider == null ? null : provider.getQuickNavigateInfo(declaration, original);
        String text = provider == null ? null : provider.generateDoc(declaration, original);
        return described(signature == null ? null : Markdown.lines(signature), text == null ? null : Markdown.of(text));
    }

    /** Null when there is neither. */
    protected static String described(String signature, String text) {
        if (signature == null) {
            return text;
        }
        return "```\n" + signature + "\n```" + (text == null ? "" : "\n\n" + text);
    }

    @Override
    public Object[] variants(PsiReference reference) {
        return reference.getVariants();
    }

    @Override
    public String kind(PsiElement declaration) {
        if (declaration instanceof PsiFile) {
            return "file";
        }
        String name = declaration.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        for (Map.Entry<String, String> row : KINDS.entrySet()) {
            if (name.contains(row.getKey())) {
                return row.getValue();
            }
        }
        return "symbol";
    }

    /** Where a search has no scope of its own: the code of the project, not its libraries. */
    protected static GlobalSearchScope project(PsiElement element) {
        return GlobalSearchScope.projectScope(element.getProject());
    }

    protected static HostException unsupported(String what, PsiElement element) {
        return new HostException(HostException.UNSUPPORTED,
                "the IDE does not tell " + what + " of " + element.getLanguage().getDisplayName());
    }
}
