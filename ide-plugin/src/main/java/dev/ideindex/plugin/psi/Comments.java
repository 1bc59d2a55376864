package dev.ideindex.plugin.psi;

import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.EditorCustomElementRenderer;
import com.intellij.openapi.editor.Inlay;
import com.intellij.openapi.editor.markup.TextAttributes;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.fileEditor.OpenFileDescriptor;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.VirtualFile;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.Rectangle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The operations {@code comment.add} and {@code comment.remove}: notes above a line that are no part of the file. */
final class Comments {
    private final Map<Long, Inlay<?>> shown = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    Map<String, Object> add(Call call) throws Exception {
        VirtualFile file = call.file();
        int line = call.arguments().number("line");
        String text = call.arguments().text("text");
        String author = call.arguments().text("author", "");
        return call.ui(() -> {
            Editor editor = FileEditorManager.getInstance(call.project())
                    .openTextEditor(new OpenFileDescriptor(call.project(), file, Math.max(0, line - 1), 0), false);
            if (editor == null) {
                throw new HostException(HostException.UNSUPPORTED, "the IDE shows no text of " + file.getName());
            }
            int offset = new Text(editor.getDocument().getImmutableCharSequence()).offset(line, 1);
            Note note = new Note(author.isEmpty() ? text : author + ": " + text);
            Inlay<?> inlay = editor.getInlayModel().addBlockElement(offset, false, true, 0, note);
            if (inlay == null) {
                throw new HostException(HostException.UNSUPPORTED, "this editor shows no comments");
            }
            shown.values().removeIf(known -> !known.isValid());
            long id = last.incrementAndGet();
            shown.put(id, inlay);
            return Json.object("id", id);
        });
    }

    Map<String, Object> remove(Call call) throws Exception {
        Inlay<?> inlay = shown.remove((long) call.arguments().number("id"));
        if (inlay != null) {
            call.ui(() -> {
                Disposer.dispose(inlay);
                return null;
            });
        }
        return Json.object();
    }

    /** Paints a text of some lines in a quiet box. */
    private record Note(String[] lines) implements EditorCustomElementRenderer {
        private static final int PADDING = 6;

        Note(String text) {
            this(Lines.unix(text).split("\n"));
        }

        private static Font font(Editor editor) {
            return editor.getContentComponent().getFont();
        }

        @Override
        public int calcWidthInPixels(Inlay inlay) {
            FontMetrics metrics = inlay.getEditor().getContentComponent().getFontMetrics(font(inlay.getEditor()));
            int width = 0;
            for (String line : lines) {
                width = Math.max(width, metrics.stringWidth(line));
            }
            return width + 2 * PADDING;
        }

        @Override
        public int calcHeightInPixels(Inlay inlay) {
            return lines.length * inlay.getEditor().getLineHeight() + PADDING;
        }

        @Override
        public void paint(Inlay inlay, Graphics graphics, Rectangle where, TextAttributes attributes) {
            Editor editor = inlay.getEditor();
            Color ink = editor.getContentComponent().getForeground();
            graphics.setColor(new Color(ink.getRed(), ink.getGreen(), ink.getBlue(), 24));
            graphics.fillRoundRect(where.x, where.y + 1, calcWidthInPixels(inlay), where.height - 2, PADDING, PADDING);
            graphics.setColor(ink);
            graphics.setFont(font(editor));
            int ascent = graphics.getFontMetrics().getAscent();
            for (int i = 0; i < lines.length; i++) {
                graphics.drawString(lines[i], where.x + PADDING, where.y + PADDING / 2 + ascent + i * editor.getLineHeight());
            }
        }
    }
}
