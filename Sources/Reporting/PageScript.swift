/// The only script of a page.
///
/// It shows the value under the pointer, which the tables also contain, and puts the address of a
/// clicked row into the address bar, so that the row can be linked to.
enum PageScript {
  static let hoverValues = #"""
    (() => {
      const tip = document.getElementById("tip");
      const find = (e) => e.target.closest && e.target.closest(".chart [aria-label]:not(svg)");
      addEventListener("pointerover", (e) => {
        const mark = find(e);
        tip.hidden = !mark;
        if (!mark) return;
        tip.textContent = mark.getAttribute("aria-label");
        const m = mark.getBoundingClientRect(), t = tip.getBoundingClientRect();
        const left = Math.min(Math.max(8, m.left + m.width / 2 - t.width / 2),
          document.documentElement.clientWidth - t.width - 8);
        const top = m.top - t.height - 8;
        tip.style.left = left + "px";
        tip.style.top = (top < 8 ? m.bottom + 8 : top) + "px";
      });
      addEventListener("click", (e) => {
        const row = e.target.closest && e.target.closest("tr[id]");
        if (row && !e.target.closest("a") && !String(getSelection()))
          location.replace("#" + row.id);
      });
      addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
    })();
    """#
}
