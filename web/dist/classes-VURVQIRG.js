import{a,b,c}from"./chunk-LBUTPONW.js";import"./chunk-KJ6AMP6G.js";import"./chunk-RXXKUQL2.js";import"./chunk-VH63SMTT.js";c();export{a as ClassTabs,b as default};
