package dev.ideindex.plugin.psi;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.fileEditor.impl.LoadTextUtil;
import com.intellij.openapi.module.Module;
import com.intellij.openapi.module.ModuleManager;
import com.intellij.openapi.roots.ModuleRootManager;
import com.intellij.openapi.vfs.VfsUtil;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiCompiledFile;
import com.intellij.psi.PsiDocumentManager;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiManager;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The operations {@code library.read} and {@code sync}. */
final class Disk {
    private Disk() {}

    /** Source where the IDE has it, else what it makes of the compiled class. */
    static Map<String, Object> library(Call call) throws Exception {
        VirtualFile file = Files.find(call.arguments().text("url"));
        return call.read(() -> {
            PsiFile psi = PsiManager.getInstance(call.project()).findFile(file);
            PsiElement source = psi == null ? null : psi.getNavigationElement();
            if (source instanceof PsiFile sourceFile && sourceFile != psi) {
                return Json.object("text", sourceFile.getText());
            }
            if (psi instanceof PsiCompiledFile compiled) {
                return Json.object("text", compiled.getDecompiledPsiFile().getText());
            }
            return Json.object("text", psi != null ? psi.getText() : LoadTextUtil.loadText(file).toString());
        });
    }

    static Map<String, Object> sync(Call call) throws Exception {
        List<VirtualFile> files = new ArrayList<>();
        for (String path : call.arguments().texts("paths")) {
            VirtualFile there = Files.look(path);
            for (String at = path; there == null && at.lastIndexOf('/') > 0;) {
                at = at.substring(0, at.lastIndexOf('/'));
                there = Files.look(at);
            }
            if (there != null) {
                files.add(there);
            }
        }
        if (!call.arguments().has("paths") || call.arguments().texts("paths").isEmpty()) {
            files.addAll(call.read(() -> roots(call)));
        }
        refresh(files);
        call.ui(() -> {
            PsiDocumentManager.getInstance(call.project()).commitAllDocuments();
            return null;
        });
        return Json.object();
    }

    private static List<VirtualFile> roots(Call call) throws Exception {
        List<VirtualFile> roots = new ArrayList<>();
        for (Module module : ModuleManager.getInstance(call.project()).getModules()) {
            roots.addAll(List.of(ModuleRootManager.getInstance(module).getContentRoots()));
        }
        return roots;
    }

    /** Returns when the IDE has seen what is on disk. The caller must hold no lock. */
    static void refresh(List<VirtualFile> files) {
        if (!files.isEmpty() && !ApplicationManager.getApplication().isReadAccessAllowed()) {
            VfsUtil.markDirtyAndRefresh(false, true, true, files.toArray(VirtualFile.EMPTY_ARRAY));
        }
    }
}
