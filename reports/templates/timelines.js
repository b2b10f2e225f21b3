// A mark of a timeline shows its text when a reader points at it, focuses it or taps it. The arrow
// keys go from mark to mark. A timeline can be zoomed. A narrow timeline is scrolled to the first
// violation.
const place = element => {
  const {left, width} = element.getBoundingClientRect();
  return left + width / 2;
};
for (const figure of document.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg"), marks = [...figure.querySelectorAll(".mark")];
  const names = [...figure.querySelectorAll(".name")];
  svg.append(...names); // drawn last, so that bars and their texts pass behind them
  for (const name of names) {
    const {x, y, width, height} = name.getBBox();
    const back = document.createElementNS(svg.namespaceURI, "rect");
    Object.entries({class: "back", x: x - 200, y: y - 9, width: width + 204, height: height + 10})
      .forEach(([key, value]) => back.setAttribute(key, value));
    name.prepend(back);
  }
  const wrong = figure.querySelector(".wrong, a");
  if (wrong) figure.scrollLeft += place(wrong) - place(figure);
  const follow = () => {
    figure.classList.toggle("scrolled", figure.scrollLeft > 0);
    names.forEach(name => name.setAttribute("transform",
      `translate(${figure.scrollLeft * svg.viewBox.baseVal.width / svg.clientWidth})`));
  };
  figure.addEventListener("scroll", follow);
  follow();
  if (!marks.length) continue;
  const bar = document.createElement("div"), text = document.createElement("span");
  bar.className = "bar";
  text.textContent = "Point at a mark, or go through them with Tab and the arrow keys.";
  let zoom = 1;
  for (const [sign, by] of [["\u2212", 2 / 3], ["+", 3 / 2]]) {
    const button = document.createElement("button");
    button.textContent = sign;
    button.setAttribute("aria-label", by > 1 ? "zoom in" : "zoom out");
    button.onclick = () => {
      const at = (figure.scrollLeft + figure.clientWidth / 2) / svg.clientWidth;
      zoom = Math.min(8, Math.max(1, zoom * by));
      const width = zoom * Math.max(940, figure.clientWidth);
      svg.style.width = svg.style.minWidth = zoom > 1 ? `${width}px` : "";
      figure.scrollLeft = at * svg.clientWidth - figure.clientWidth / 2;
      follow();
    };
    bar.append(button);
  }
  bar.append(text);
  figure.before(bar);
  const show = event => {
    const mark = event.target.closest(".mark");
    if (mark) text.textContent = mark.getAttribute("aria-label");
  };
  for (const kind of ["mouseover", "focusin", "click"]) figure.addEventListener(kind, show);
  const order = marks.sort((a, b) => place(a) - place(b));
  order.forEach((mark, i) => mark.setAttribute("tabindex", i ? -1 : 0));
  figure.addEventListener("keydown", event => {
    const next = order[order.indexOf(event.target) + {ArrowRight: 1, ArrowLeft: -1}[event.key]];
    if (!next || event.target === figure) return;
    event.preventDefault();
    next.focus();
  });
}
