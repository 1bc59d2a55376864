package dev.ideindex.plugin.psi;

import com.intellij.openapi.command.UndoConfirmationPolicy;
import com.intellij.openapi.command.WriteCommandAction;
import com.intellij.openapi.command.undo.UndoManager;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.EditorFactory;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileEditor.FileEditor;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.fileEditor.impl.text.TextEditorProvider;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Pair;
import com.intellij.openapi.vfs.VfsUtil;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiDocumentManager;
import dev.ideindex.plugin.spi.Arguments;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The operations {@code edit.apply}, {@code edit.undo} and {@code edit.redo}. */
final class Edits {
    private static final String GROUP = "ide-index";

    private record Change(String kind, String path, String to, String before, String text, VirtualFile file) {
        static Change of(Arguments change) throws HostException {
            String kind = change.text("kind");
            String path = change.text("path");
            VirtualFile file = Files.look(path);
            boolean creates = kind.equals("create");
            if (file == null && !creates) {
                throw new HostException(HostException.CONFLICT, path + " is not there");
            }
            if (file != null && creates) {
                throw new HostException(HostException.CONFLICT, path + " is there already");
            }
            return new Change(kind, path, change.text("to", null), change.text("before", null), change.text("text", null), file);
        }
    }

    private Edits() {}

    static Map<String, Object> apply(Call call) throws Exception {
        String title = call.arguments().text("title");
        Project project = call.project();
        List<VirtualFile> known = new ArrayList<>();
        List<Change> changes = new ArrayList<>();
        for (Arguments change : call.arguments().objects("changes")) {
            changes.add(Change.of(change));
            VirtualFile file = changes.get(changes.size() - 1).file();
            if (file != null) {
                known.add(file);
            }
        }
        Disk.refresh(known);
        call.ui(() -> {
            PsiDocumentManager.getInstance(project).commitAllDocuments();
            for (Change change : changes) {
                check(change);
            }
            WriteCommandAction.writeCommandAction(project).withName(title).withGroupId(GROUP).withGlobalUndo()
                    .withUndoConfirmationPolicy(UndoConfirmationPolicy.DO_NOT_REQUEST_CONFIRMATION).run(() -> {
                        for (Change change : changes) {
                            carryOut(change, project);
                        }
                    });
            PsiDocumentManager.getInstance(project).commitAllDocuments();
            saveAll();
            return null;
        });
        return Json.object();
    }

    /** Everything is looked at before anything is written. */
    private static void check(Change change) throws HostException {
        VirtualFile file = change.file();
        if (change.kind().equals("move") && Files.look(change.to()) != null) {
            throw new HostException(HostException.CONFLICT, change.to() + " is there already");
        }
        if (file == null) {
            return;
        }
        if (!file.isValid()) {
            throw new HostException(HostException.CONFLICT, change.path() + " is gone");
        }
        if (!file.isWritable()) {
            throw new HostException(HostException.READ_ONLY, change.path() + " is read-only");
        }
        Document document = FileDocumentManager.getInstance().getDocument(file);
        if (change.before() != null && document != null && !document.getText().equals(Lines.unix(change.before()))) {
            throw new HostException(HostException.CONFLICT, change.path() + " changed meanwhile");
        }
    }

    private static void carryOut(Change change, Project project) throws IOException, HostException {
        switch (change.kind()) {
            case "write" -> write(change.file(), change.text(), project);
            case "create" -> {
                VirtualFile file = folder(change.path()).createChildData(GROUP, name(change.path()));
                write(file, change.text(), project);
            }
            case "delete" -> change.file().delete(GROUP);
            case "move" -> {
                VirtualFile folder = folder(change.to());
                if (!folder.equals(change.file().getParent())) {
                    change.file().move(GROUP, folder);
                }
                if (!change.file().getName().equals(name(change.to()))) {
                    change.file().rename(GROUP, name(change.to()));
                }
                write(change.file(), change.text(), project);
            }
            default -> throw new HostException(HostException.UNSUPPORTED, "there is no change `" + change.kind() + "`");
        }
    }

    private static VirtualFile folder(String path) throws IOException {
        VirtualFile folder = VfsUtil.createDirectoryIfMissing(path.substring(0, Math.max(1, path.lastIndexOf('/'))));
        if (folder == null) {
            throw new IOException(path + " has no folder");
        }
        return folder;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static void write(VirtualFile file, String text, Project project) throws IOException {
        Document document = text == null ? null : FileDocumentManager.getInstance().getDocument(file);
        if (text == null) {
            return;
        }
        if (document == null || !document.isWritable()) {
            VfsUtil.saveText(file, text);
            return;
        }
        replace(document, Lines.unix(text));
        if (!Lines.savesAs(document, text, file, project)) {
            PsiDocumentManager.getInstance(project).commitDocument(document);
            FileDocumentManager.getInstance().saveDocument(document);
            VfsUtil.saveText(file, text);
        }
    }

    /** Only what differs, so that carets, folds and break points outside of it stay. */
    private static void replace(Document document, String text) {
        CharSequence before = document.getImmutableCharSequence();
        int shorter = Math.min(before.length(), text.length());
        int start = 0;
        while (start < shorter && before.charAt(start) == text.charAt(start)) {
            start++;
        }
        int same = 0;
        while (same < shorter - start && before.charAt(before.length() - 1 - same) == text.charAt(text.length() - 1 - same)) {
            same++;
        }
        document.replaceString(start, before.length() - same, text.substring(start, text.length() - same));
    }

    private static void saveAll() {
        FileDocumentManager.getInstance().saveAllDocuments();
    }

    static Map<String, Object> undo(Call call) throws Exception {
        return step(call, false);
    }

    static Map<String, Object> redo(Call call) throws Exception {
        return step(call, true);
    }

    private static Map<String, Object> step(Call call, boolean again) throws Exception {
        VirtualFile file = Files.look(call.arguments().text("path"));
        String title = call.arguments().text("title");
        call.ui(() -> {
            Project project = call.project();
            if (file == null) {
                step(project, null, title, again);
                return null;
            }
            Document document = FileDocumentManager.getInstance().getDocument(file);
            FileEditor[] open = FileEditorManager.getInstance(project).getEditors(file);
            if (open.length > 0 || document == null) {
                step(project, open.length > 0 ? open[0] : null, title, again);
                return null;
            }
            Editor editor = EditorFactory.getInstance().createEditor(document, project);
            try {
                step(project, TextEditorProvider.getInstance().getTextEditor(editor), title, again);
            } finally {
                EditorFactory.getInstance().releaseEditor(editor);
            }
            return null;
        });
        return Json.object();
    }

    private static void step(Project project, FileEditor editor, String title, boolean again) throws HostException {
        UndoManager manager = UndoManager.getInstance(project);
        boolean available = again ? manager.isRedoAvailable(editor) : manager.isUndoAvailable(editor);
        Pair<String, String> shown = again ? manager.getRedoActionNameAndDescription(editor)
                : manager.getUndoActionNameAndDescription(editor);
        if (!available || !(shown.first + "\n" + shown.second).contains(title)) {
            throw new HostException(HostException.CONFLICT, "the newest step of the IDE there is another one");
        }
        if (again) {
            manager.redo(editor);
        } else {
            manager.undo(editor);
        }
        PsiDocumentManager.getInstance(project).commitAllDocuments();
        saveAll();
    }
}
