import{a,b,c}from"./chunk-YLR2R5TB.js";import"./chunk-2MMDOMDA.js";import"./chunk-3OO7Y4FG.js";import"./chunk-QIRAC7NQ.js";c();export{a as ClassTabs,b as default};
