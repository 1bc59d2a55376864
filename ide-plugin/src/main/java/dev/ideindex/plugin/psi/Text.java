package dev.ideindex.plugin.psi;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.util.TextRange;
import com.intellij.psi.PsiCompiledFile;
import com.intellij.psi.PsiFile;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.Arrays;
import java.util.Map;

/** The lines of a text as the IDE holds it: they end at {@code \n}, whatever they end with on disk. */
final class Text {
    private final CharSequence text;
    private int[] starts = {0};

    Text(CharSequence text) {
        this.text = text;
        int count = 1;
        int[] found = new int[16];
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                if (count == found.length) {
                    found = Arrays.copyOf(found, count * 2);
                }
                found[count++] = i + 1;
            }
        }
        starts = Arrays.copyOf(found, count);
    }

    /** The text that is shown, with changes that are not saved yet. Only inside of a read. */
    static Text of(PsiFile file) {
        Document document = file.getViewProvider().getDocument();
        if (document != null) {
            return new Text(document.getImmutableCharSequence());
        }
        return new Text(file instanceof PsiCompiledFile ? "" : file.getText());
    }

    int length() {
        return text.length();
    }

    CharSequence characters() {
        return text;
    }

    int lineCount() {
        return starts.length;
    }

    /** @throws HostException {@code stale} for a place that the text does not have */
    int offset(int line, int column) throws HostException {
        if (line < 1 || line > starts.length || column < 1) {
            throw new HostException(HostException.STALE, "there is no line " + line + ": the file changed");
        }
        int end = line < starts.length ? starts[line] - 1 : text.length();
        int offset = starts[line - 1] + column - 1;
        if (offset > end) {
            throw new HostException(HostException.STALE, "line " + line + " has no column " + column + ": the file changed");
        }
        return offset;
    }

    /** A place of the contract. */
    Map<String, Object> place(String path, TextRange range) {
        int start = Math.min(range.getStartOffset(), text.length());
        int end = Math.min(range.getEndOffset(), text.length());
        int first = line(start);
        int last = line(end);
        return Json.object("path", path, "line", first, "column", start - starts[first - 1] + 1, "endLine", last, "endColumn",
                end - starts[last - 1] + 1);
    }

    private int line(int offset) {
        int found = Arrays.binarySearch(starts, offset);
        return found >= 0 ? found + 1 : -found - 1;
    }
}
