import{a,b,c}from"./chunk-CQEZ5GRM.js";import"./chunk-MFZPLNCO.js";import"./chunk-UCWFB6HX.js";import"./chunk-VTR327EJ.js";c();export{a as ClassTabs,b as default};
