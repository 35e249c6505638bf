import{a,b,c}from"./chunk-I5SNCDBL.js";import"./chunk-6U6WEKHX.js";import"./chunk-ZM3U24R7.js";import"./chunk-DKZEZLDA.js";c();export{a as ClassTabs,b as default};
