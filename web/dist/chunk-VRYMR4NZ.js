var e=[];function r(o){e=o}function i(o){return o.every(t=>e.some(n=>n.id===t))?e.filter(t=>o.includes(t.id)):null}export{r as a,i as b};
