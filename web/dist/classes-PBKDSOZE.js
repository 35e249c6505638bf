import{a,b,c}from"./chunk-6JMNSPKF.js";import"./chunk-JVOYROWA.js";import"./chunk-2IH3XPR4.js";import"./chunk-REX6MET3.js";c();export{a as ClassTabs,b as default};
