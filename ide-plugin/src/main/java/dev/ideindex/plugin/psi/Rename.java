package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNamedElement;
import com.intellij.psi.PsiReference;
import com.intellij.refactoring.rename.RenamePsiElementProcessor;
import com.intellij.refactoring.rename.RenameUtil;
import com.intellij.refactoring.rename.UnresolvableCollisionUsageInfo;
import com.intellij.refactoring.util.MoveRenameUsageInfo;
import com.intellij.usageView.UsageInfo;
import com.intellij.util.containers.MultiMap;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.lang.Markdown;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operation {@code rename}: what the IDE's refactoring would change. Nothing is written. */
final class Rename {
    private static final int MAX_CLIMB = 64;

    private final Map<String, Set<Object>> edits = new LinkedHashMap<>();
    private final Set<String> conflicts = new LinkedHashSet<>();
    private final Places places = new Places(Places.NO_CAP);

    private Rename() {}

    static Map<String, Object> run(Call call) throws Exception {
        VirtualFile virtual = call.file();
        String newName = call.arguments().text("newName");
        return call.readIndexed(() -> {
            PsiFile file = call.psi(virtual);
            List<PsiElement> targets = Targets.at(file, call.offset(file));
            if (targets.size() > 1) {
                throw new HostException(HostException.CONFLICT, "the name means " + targets.size() + " declarations");
            }
            Rename rename = new Rename();
            rename.plan(targets.get(0).getNavigationElement(), newName, call);
            return rename.answer();
        });
    }

    private void plan(PsiElement found, String newName, Call call) throws HostException {
        PsiElement element = root(found);
        if (!(element instanceof PsiNamedElement)) {
            throw new HostException(HostException.CONFLICT, "the IDE does not rename that");
        }
        if (!element.isWritable() || element.getContainingFile() == null) {
            throw new HostException(HostException.READ_ONLY, "its declaration is no code of the project");
        }
        if (!RenameUtil.isValidName(call.project(), element, newName)) {
            throw new HostException(HostException.CONFLICT, "`" + newName + "` is no name there");
        }
        Map<PsiElement, String> all = new LinkedHashMap<>();
        all.put(element, newName);
        RenamePsiElementProcessor.forElement(element).prepareRenaming(element, newName, all);
        for (Map.Entry<PsiElement, String> one : all.entrySet()) {
            rename(one.getKey(), one.getValue(), all);
        }
    }

    /**
     * The declaration that gives a method its name: an overridden one. The refactoring itself would ask the person in a dialog.
     */
    private static PsiElement root(PsiElement found) throws HostException {
        PsiElement root = found;
        for (int i = 0; i < MAX_CLIMB && Languages.of(root).isCallable(root); i++) {
            Collection<PsiElement> parents;
            try {
                parents = Languages.of(root).superMethods(root);
            } catch (HostException e) {
                return root;
            }
            if (parents.isEmpty()) {
                return root;
            }
            if (parents.size() > 1) {
                throw new HostException(HostException.CONFLICT, "it overrides " + parents.size() + " methods: rename one of them");
            }
            root = parents.iterator().next().getNavigationElement();
        }
        return root;
    }

    private void rename(PsiElement element, String newName, Map<PsiElement, String> all) {
        ProgressManager.checkCanceled();
        MultiMap<PsiElement, String> known = new MultiMap<>();
        RenamePsiElementProcessor.forElement(element).findExistingNameConflicts(element, newName, known, all);
        known.values().forEach(text -> conflicts.add(Markdown.plain(text)));
        if (!(element instanceof PsiFile)) {
            edit(element, Places.nameRange(element), newName);
        }
        for (UsageInfo usage : RenameUtil.findUsages(element, newName, false, false, all)) {
            ProgressManager.checkCanceled();
            if (usage instanceof UnresolvableCollisionUsageInfo collision) {
                conflicts.add(Markdown.plain(collision.getDescription()));
            } else if (usage instanceof MoveRenameUsageInfo move && move.getReference() != null) {
                PsiReference reference = move.getReference();
                PsiElement holder = reference.getElement();
                edit(holder, reference.getRangeInElement().shiftRight(holder.getTextRange().getStartOffset()), newName);
            }
        }
    }

    private void edit(PsiElement element, TextRange range, String newName) {
        Map<String, Object> place = places.of(element, range);
        if (place == null) {
            conflicts.add("a use stands where the IDE cannot write");
            return;
        }
        String path = (String) place.remove("path");
        place.put("text", newName);
        edits.computeIfAbsent(path, p -> new LinkedHashSet<>()).add(place);
    }

    private Map<String, Object> answer() {
        List<Object> files = new ArrayList<>();
        edits.forEach((path, changes) -> files.add(Json.object("path", path, "edits", changes)));
        return Json.object("edits", files, "conflicts", conflicts);
    }
}
