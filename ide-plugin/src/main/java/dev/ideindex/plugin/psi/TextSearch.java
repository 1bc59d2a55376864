package dev.ideindex.plugin.psi;

import com.intellij.find.FindModel;
import com.intellij.find.impl.FindInProjectUtil;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.usageView.UsageInfo;
import com.intellij.usages.FindUsagesProcessPresentation;
import com.intellij.usages.UsageViewPresentation;
import dev.ideindex.plugin.spi.HostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The operation {@code text}: the IDE's search in files. It works while the IDE indexes, too. */
final class TextSearch {
    private record Match(PsiFile file, VirtualFile virtual, TextRange range) {}

    private TextSearch() {}

    static Map<String, Object> run(Call call) throws Exception {
        Project project = call.project();
        FindModel model = model(call);
        int limit = call.arguments().number("limit", 1000);
        List<Match> matches = new CopyOnWriteArrayList<>();
        AtomicBoolean cut = new AtomicBoolean();
        FindUsagesProcessPresentation presentation = new FindUsagesProcessPresentation(new UsageViewPresentation());
        ProgressManager.getInstance().runProcess(() -> FindInProjectUtil.findUsages(model, project, usage -> {
            if (matches.size() >= limit) {
                cut.set(true);
                return false;
            }
            Match match = match(usage);
            if (match != null) {
                matches.add(match);
            }
            return true;
        }, presentation), call.indicator());
        call.indicator().checkCanceled();
        return call.read(() -> {
            Places places = new Places(limit);
            for (Match match : matches) {
                if (match.virtual().isValid() && match.file().isValid()) {
                    places.addRange(match.file(), match.range());
                }
            }
            return places.answer(cut.get());
        });
    }

    private static FindModel model(Call call) throws HostException {
        FindModel model = new FindModel();
        String pattern = call.arguments().text("pattern");
        boolean regex = call.arguments().flag("regex");
        if (regex) {
            try {
                Pattern.compile(pattern);
            } catch (PatternSyntaxException e) {
                throw new HostException(HostException.UNSUPPORTED, "no regular expression of Java: " + e.getDescription(), e);
            }
        }
        model.setStringToFind(pattern);
        model.setRegularExpressions(regex);
        model.setCaseSensitive(call.arguments().flag("caseSensitive"));
        model.setWholeWordsOnly(call.arguments().flag("wholeWord"));
        model.setProjectScope(true);
        model.setWithSubdirectories(true);
        model.setMultipleFiles(true);
        return model;
    }

    private static Match match(UsageInfo usage) {
        PsiElement element = usage.getElement();
        TextRange inside = usage.getRangeInElement();
        PsiFile file = element == null ? null : element.getContainingFile();
        if (file == null || file.getVirtualFile() == null || inside == null) {
            return null;
        }
        return new Match(file, file.getVirtualFile(), inside.shiftRight(element.getTextRange().getStartOffset()));
    }
}
