package dev.ideindex.plugin.psi;

import com.intellij.codeInsight.lookup.LookupElement;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNamedElement;
import com.intellij.psi.PsiReference;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The operation {@code complete}: what the reference at a place could be.
 *
 * <p>The editor's own completion needs an editor and the UI thread. A reference tells its variants without both.
 */
final class Completion {
    /** A name that no code has: it stands where the person would go on typing. */
    private static final String DUMMY = "ideindexPlaceholder";

    private Completion() {}

    static Map<String, Object> run(Call call) throws Exception {
        VirtualFile virtual = call.file();
        int limit = call.arguments().number("limit", 100);
        return call.readIndexed(() -> {
            PsiFile file = call.psi(virtual);
            Text text = Text.of(file);
            int offset = call.offset(file);
            int start = offset;
            while (start > 0 && Character.isJavaIdentifierPart(text.characters().charAt(start - 1))) {
                start--;
            }
            String typed = text.characters().subSequence(start, offset).toString();
            String before = text.characters().subSequence(0, offset).toString();
            String after = text.characters().subSequence(offset, text.length()).toString();
            PsiFile copy = Copies.of(file, before + DUMMY + after);
            PsiReference reference = copy.findReferenceAt(start);
            if (reference == null) {
                throw new HostException(HostException.UNSUPPORTED, "the IDE completes nothing there without an editor");
            }
            Object[] variants = Languages.of(reference.getElement()).variants(reference);
            if (variants.length == 0) {
                throw new HostException(HostException.UNSUPPORTED, "the IDE completes nothing there without an editor");
            }
            return Json.object("items", items(variants, typed, limit));
        });
    }

    private static List<Object> items(Object[] variants, String typed, int limit) {
        NameMatch match = new NameMatch(typed);
        Map<Integer, Map<String, Object>> byDegree = new TreeMap<>(Comparator.reverseOrder());
        for (Object variant : variants) {
            ProgressManager.checkCanceled();
            Map<String, Object> item = item(variant);
            int degree = item == null ? 0 : typed.isEmpty() ? 1 : match.degree((String) item.get("label"));
            if (degree > 0) {
                byDegree.computeIfAbsent(degree, d -> new LinkedHashMap<>()).putIfAbsent((String) item.get("label"), item);
            }
        }
        List<Object> items = new ArrayList<>();
        byDegree.values().forEach(same -> items.addAll(same.values()));
        return items.size() > limit ? items.subList(0, limit) : items;
    }

    private static Map<String, Object> item(Object variant) {
        PsiElement element = variant instanceof PsiElement psi ? psi : null;
        String label = variant instanceof String text ? text : null;
        if (variant instanceof LookupElement lookup) {
            label = lookup.getLookupString();
            element = lookup.getPsiElement();
        } else if (element instanceof PsiNamedElement named) {
            label = named.getName();
        }
        if (label == null || label.contains(DUMMY)) {
            return null;
        }
        return Json.object("label", label, "insert", label, "kind", element == null ? null : Languages.of(element).kind(element));
    }
}
