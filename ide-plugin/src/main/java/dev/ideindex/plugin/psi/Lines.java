package dev.ideindex.plugin.psi;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** The ends of lines: {@code \n} inside of the IDE, anything on disk. */
final class Lines {
    private Lines() {}

    static String unix(String text) {
        return text.indexOf('\r') < 0 ? text : text.replace("\r\n", "\n").replace('\r', '\n');
    }

    /** The separator with which the IDE saves the file. */
    static String separator(VirtualFile file, Project project) {
        return FileDocumentManager.getInstance().getLineSeparator(file, project);
    }

    /** Whether the IDE would save the document as exactly this text. */
    static boolean savesAs(Document document, String text, VirtualFile file, Project project) {
        return document.getText().replace("\n", separator(file, project)).equals(text);
    }
}
