package dev.ideindex.plugin.psi;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.ScrollType;
import com.intellij.openapi.editor.SelectionModel;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileEditor.FileEditor;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.fileEditor.OpenFileDescriptor;
import com.intellij.openapi.fileEditor.TextEditor;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The operations {@code editor.open}, {@code editor.state}, {@code editor.save} and {@code editor.close}. */
public final class Editors {
    private Editors() {}

    static Map<String, Object> open(Call call) throws Exception {
        VirtualFile file = call.file();
        int line = call.arguments().number("line", 1);
        int column = call.arguments().number("column", 1);
        boolean focus = call.arguments().flag("focus");
        call.ui(() -> {
            OpenFileDescriptor where = call.arguments().has("line")
                    ? new OpenFileDescriptor(call.project(), file, line - 1, column - 1)
                    : new OpenFileDescriptor(call.project(), file);
            Editor editor = FileEditorManager.getInstance(call.project()).openTextEditor(where, focus);
            if (editor == null) {
                FileEditor[] opened = FileEditorManager.getInstance(call.project()).openFile(file, focus);
                if (opened.length == 0) {
                    throw new HostException(HostException.UNSUPPORTED, "the IDE opens no editor for " + file.getName());
                }
            } else if (call.arguments().has("endLine")) {
                select(editor, call, line, column);
            }
            return null;
        });
        return Json.object();
    }

    private static void select(Editor editor, Call call, int line, int column) throws HostException {
        Text text = new Text(editor.getDocument().getImmutableCharSequence());
        int start = text.offset(line, column);
        int end = text.offset(call.arguments().number("endLine"), call.arguments().number("endColumn", 1));
        editor.getSelectionModel().setSelection(start, end);
        editor.getScrollingModel().scrollToCaret(ScrollType.MAKE_VISIBLE);
    }

    static Map<String, Object> state(Call call) throws Exception {
        return call.ui(() -> state(call.project()));
    }

    /** Every open file as {@code editor.state} tells it. Only on the UI thread. */
    public static Map<String, Object> state(Project project) {
        FileEditorManager manager = FileEditorManager.getInstance(project);
        VirtualFile[] selected = manager.getSelectedFiles();
        List<Object> editors = new ArrayList<>();
        for (VirtualFile file : manager.getOpenFiles()) {
            boolean active = selected.length > 0 && selected[0].equals(file);
            Editor editor = active && manager.getSelectedTextEditor() != null ? manager.getSelectedTextEditor() : editor(manager, file);
            editors.add(describe(file, active, editor));
        }
        return Json.object("editors", editors);
    }

    private static Editor editor(FileEditorManager manager, VirtualFile file) {
        for (FileEditor editor : manager.getEditors(file)) {
            if (editor instanceof TextEditor text) {
                return text.getEditor();
            }
        }
        return null;
    }

    private static Map<String, Object> describe(VirtualFile file, boolean active, Editor editor) {
        Document document = FileDocumentManager.getInstance().getCachedDocument(file);
        Map<String, Object> described = Json.object("path", Files.path(file), "active", active, "dirty",
                FileDocumentManager.getInstance().isFileModified(file), "preview", false, "lineCount",
                document == null ? 0 : Math.max(1, document.getLineCount()));
        if (editor != null) {
            SelectionModel selection = editor.getSelectionModel();
            boolean some = selection.hasSelection();
            int caret = editor.getCaretModel().getOffset();
            TextRange range = some ? new TextRange(selection.getSelectionStart(), selection.getSelectionEnd())
                    : new TextRange(caret, caret);
            Map<String, Object> place = new Text(editor.getDocument().getImmutableCharSequence()).place("", range);
            place.remove("path");
            described.put("selection", place);
            String text = selection.getSelectedText();
            described.put("selectedText", text == null ? "" : text);
        }
        return described;
    }

    static Map<String, Object> save(Call call) throws Exception {
        VirtualFile file = call.file();
        call.ui(() -> {
            Document document = FileDocumentManager.getInstance().getCachedDocument(file);
            if (document != null) {
                FileDocumentManager.getInstance().saveDocument(document);
            }
            return null;
        });
        return Json.object();
    }

    static Map<String, Object> close(Call call) throws Exception {
        VirtualFile file = call.file();
        call.ui(() -> {
            FileEditorManager.getInstance(call.project()).closeFile(file);
            return null;
        });
        return Json.object();
    }
}
