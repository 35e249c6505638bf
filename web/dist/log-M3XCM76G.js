import{a,b,c}from"./chunk-DILDZYR6.js";import"./chunk-KKLATEII.js";import"./chunk-QAZF4DWI.js";import"./chunk-JS5NJVON.js";import"./chunk-LZA7HITR.js";c();export{a as AuditTabs,b as default};
