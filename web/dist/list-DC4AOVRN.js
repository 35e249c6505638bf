import{a,b,c}from"./chunk-HBUY4PIL.js";import"./chunk-VAH7RF4Q.js";import"./chunk-QAZF4DWI.js";import"./chunk-JS5NJVON.js";import"./chunk-LZA7HITR.js";c();export{a as GuardianTabs,b as default};
