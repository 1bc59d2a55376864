package dev.ideindex.plugin.psi;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiFile;
import dev.ideindex.plugin.lang.Markdown;
import dev.ideindex.plugin.platform.Platform;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operation {@code diagnostics}: what the IDE finds in a file, open or not, after a whole pass over it. */
final class Diagnostics {
    private record Subject(PsiFile file, Document document, long stamp) {}

    private Diagnostics() {}

    static Map<String, Object> run(Call call) throws Exception {
        VirtualFile virtual = call.file();
        String expected = call.arguments().text("text", null);
        if (expected != null && !call.read(() -> isSame(call.psi(virtual), expected))) {
            Disk.refresh(List.of(virtual));
        }
        Subject subject = call.readIndexed(() -> {
            PsiFile file = call.psi(virtual);
            Document document = file.getViewProvider().getDocument();
            if (document == null) {
                throw new HostException(HostException.UNSUPPORTED, virtual.getName() + " is no text");
            }
            if (expected != null && !isSame(file, expected)) {
                throw new HostException(HostException.STALE, "the IDE holds another text of " + virtual.getName());
            }
            return new Subject(file, document, document.getModificationStamp());
        });
        List<Platform.Problem> problems = call.platform().problems(subject.file(), subject.document(), call.indicator());
        call.indicator().checkCanceled();
        return call.read(() -> answer(subject, problems, virtual));
    }

    private static boolean isSame(PsiFile file, String expected) {
        Document document = file.getViewProvider().getDocument();
        return document == null || document.getText().equals(Lines.unix(expected));
    }

    private static Map<String, Object> answer(Subject subject, List<Platform.Problem> problems, VirtualFile virtual)
            throws HostException {
        if (subject.document().getModificationStamp() != subject.stamp()) {
            throw new HostException(HostException.STALE, "the text changed while it was read");
        }
        Text text = new Text(subject.document().getImmutableCharSequence());
        Set<Object> diagnostics = new LinkedHashSet<>();
        for (Platform.Problem problem : problems) {
            Map<String, Object> place = text.place(Files.path(virtual), new TextRange(problem.start(), problem.end()));
            diagnostics.add(Json.object("place", place, "severity", problem.severity(), "code", problem.code(), "message",
                    problem.message() == null ? "" : Markdown.plain(problem.message())));
        }
        return Json.object("diagnostics", new ArrayList<>(diagnostics));
    }
}
