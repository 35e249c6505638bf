import{a,b,c}from"./chunk-YCPXIAA7.js";import"./chunk-TP5P545G.js";import"./chunk-THDN3WSM.js";import"./chunk-NWDS5W7U.js";c();export{a as ClassTabs,b as default};
