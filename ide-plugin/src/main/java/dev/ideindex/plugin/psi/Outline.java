package dev.ideindex.plugin.psi;

import com.intellij.ide.structureView.StructureViewBuilder;
import com.intellij.ide.structureView.StructureViewModel;
import com.intellij.ide.structureView.StructureViewTreeElement;
import com.intellij.ide.structureView.TreeBasedStructureViewBuilder;
import com.intellij.ide.util.treeView.smartTree.TreeElement;
import com.intellij.lang.LanguageStructureViewBuilder;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNamedElement;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The operation {@code outline}: the tree of the IDE's structure view. */
final class Outline {
    private static final int MAX_DEPTH = 60;

    private final PsiFile file;
    private final Places places = new Places(Places.NO_CAP);

    private Outline(PsiFile file) {
        this.file = file;
    }

    static Map<String, Object> run(Call call) throws Exception {
        VirtualFile virtual = call.file();
        return call.read(() -> new Outline(call.psi(virtual)).build());
    }

    private Map<String, Object> build() throws HostException {
        StructureViewBuilder builder = builders().getStructureViewBuilder(file);
        if (!(builder instanceof TreeBasedStructureViewBuilder tree)) {
            throw new HostException(HostException.UNSUPPORTED, "the IDE shows no structure of " + file.getName());
        }
        StructureViewModel model = tree.createStructureViewModel(null);
        try {
            return Json.object("nodes", children(model.getRoot(), 0));
        } finally {
            Disposer.dispose(model);
        }
    }

    /** A method of newer IDEs, a field of older ones. */
    private static LanguageStructureViewBuilder builders() {
        try {
            return (LanguageStructureViewBuilder) LanguageStructureViewBuilder.class.getMethod("getInstance").invoke(null);
        } catch (ReflectiveOperationException e) {
            return LanguageStructureViewBuilder.INSTANCE;
        }
    }

    private List<Object> children(TreeElement parent, int depth) {
        List<Object> nodes = new ArrayList<>();
        if (depth > MAX_DEPTH) {
            return nodes;
        }
        for (TreeElement child : parent.getChildren()) {
            ProgressManager.checkCanceled();
            Object value = child instanceof StructureViewTreeElement node ? node.getValue() : null;
            if (value instanceof PsiElement element && element.isValid() && isHere(element)) {
                nodes.add(node(child, element, depth));
            } else {
                nodes.addAll(children(child, depth + 1));
            }
        }
        return nodes;
    }

    /** Structure views show inherited members on demand. */
    private boolean isHere(PsiElement element) {
        return file.equals(element.getContainingFile()) && element.getTextRange() != null;
    }

    private Map<String, Object> node(TreeElement shown, PsiElement element, int depth) {
        String signature = shown.getPresentation().getPresentableText();
        String name = element instanceof PsiNamedElement named ? named.getName() : null;
        return Json.object("name", name != null ? name : signature == null ? "" : signature, "kind",
                Languages.of(element).kind(element), "place", places.of(element, Places.nameRange(element)), "whole",
                places.of(element, element.getTextRange()), "signature", signature, "children", children(shown, depth + 1));
    }
}
