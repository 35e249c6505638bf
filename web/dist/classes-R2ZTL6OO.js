import{a,b,c}from"./chunk-LBALKDDV.js";import"./chunk-FU2RYIH7.js";import"./chunk-CTYQ6SA6.js";import"./chunk-N5A6VUJA.js";c();export{a as ClassTabs,b as default};
